"""The nasty texts: what breaks tokenizers. Each is one string; see data/tokens.json."""

ACUTE, ZWJ = "\u0301", "\u200d"

TEXTS = [
    "", " ", "   ", "\n", "\n\n\n", "\t", "\r\n", "\r", " \n ", "  \t\n  x",
    "Hello, world!", "hello", " hello", "hello ", "hello   ", "two  spaces   three    four",
    " " * 40, "x" + " " * 17 + "y", "a" * 300, "-" * 80, "=" * 17 + "\n" + "=" * 16,
    "tab\tseparated\t\tvalues\t", "line one\r\nline two\r\n\r\nline four\rold mac",
    "def f(x):\n    if x:\n\treturn 'a b'\n\n\n\n# end\n", "trailing spaces at line end   \nnext",
    "don't can't we'll I'm you're he'd they've it's", "DON'T CAN'T WE'LL I'M YOU'RE HE'D THEY'VE IT'S",
    "it'\u017f and the long \u017f: congre\u017f\u017f, Kelvin \u212a, dotted \u0130 and dotless \u0131",
    "don\u2019t \u201cquote\u201d \u2014 dash \u2026", "''s 's' \"'ll\"",
    "0", "7 42 123 1234 12345 1234567890", "3.14159 1,234,567.89 $99 50% #1 1st 2nd", "v1.2.3-rc4 0x1F 1e-5 10^6",
    "2024-01-31T23:59:59Z", "a1b22c333d4444", "\u00bd \u00b2 \u2167 \u2460 \u0661\u0662\u0663 \u096a\u096b \U0001d7d9\U0001d7da",
    "Section 3.2(a)(ii) of \u00a7 17 U.S.C. \u00a7\u00a7 101\u2013106; see also \u00b6 4.",
    "[MPL-2.0 \u00a73.2] and [GPL-3.0 \u00a711]", "https://www.gnu.org/licenses/?a=1&b=2#frag", "name@example.org; C:\\dir\\file.txt",
    "caf\u00e9 na\u00efve \u00e5ngstr\u00f6m", "cafe" + ACUTE + " nai\u0308ve A\u030angstro\u0308m", "e" + ACUTE * 5 + "x\u0336y\u0336z\u0336",
    "\ufb01ne \ufb02ow \u00bd \u2126 \u00c5 \uff26\uff35\uff2c\uff2c \u2460", "\u1e9b\u0323 \u1100\u1161\u11a8 \uac01",
    "\u4f60\u597d\uff0c\u4e16\u754c\uff01", "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8\u3000\u5168\u89d2\u7a7a\u767d", "\ud55c\uad6d\uc5b4 \ubb38\uc7a5\uc785\ub2c8\ub2e4.",
    "\u041b\u0438\u0446\u0435\u043d\u0437\u0438\u044f, \u0411\u043e\u043b\u044c\u0448\u0430\u044f \u2116 5", "\u0395\u03bb\u03bb\u03b7\u03bd\u03b9\u03ba\u03ac \u03c3\u03c2 \u03a3", "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u0661\u0662",
    "\u0928\u092e\u0938\u094d\u0924\u0947 \u0939\u093f\u0928\u094d\u0926\u0940", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u0e0a\u0e32\u0e27\u0e42\u0e25\u0e01", "\U00020000\U0002a6d6 \U00010330\U00010331",
    "\U0001f600\U0001f602", "a\U0001f600b \U0001f44d\U0001f3fd", "\U0001f468" + ZWJ + "\U0001f469" + ZWJ + "\U0001f467", "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7 \u2764\ufe0f 1\ufe0f\u20e3",
    "next\u0085line", "\u0085", "mongolian\u180evowel \u180e x", "nb\u00a0space \u00a0 x", "thin\u2009en\u2002em\u2003ideographic\u3000end",
    "zero\u200bwidth\u200cjoin\u200dmark\u2060x\ufeff", "\ufeffbom first", "line\u2028sep para\u2029sep", "ogham\u1680space \u202f\u205f",
    "nul\x00byte bell\x07 esc\x1b[0m del\x7f", "\x0b\x0c vertical", "\x1c\x1d\x1e\x1f separators", "private \ue000 \U0010fffd unassigned \u0378 \U0001fbff",
    "\ufffd \uffff \ufdd0", "soft\u00adhyphen \u061c\u200e\u202e rtl",
    "<|im_start|>user\nhi<|im_end|>\n", "x<|im_end|>y", "x <|im_end|> y", " <|im_start|> ", "<|im_end|><|im_end|>", "<|im_end", "< |im_end| >",
    "<|IM_END|>", "<|endoftext|>", "text<|endoftext|>text <repo_name>a<file_sep>b", "<s>[INST] hi [/INST] yes</s>", "<unk> <pad> <0x0A> <0xE2>",
    "See [CITE] here[CITE]\n [CITE]", "\u2581 literal \u2581meta\u2581", "\u0120hello \u010a \u0100", "{{ jinja }} {% raw %}", "\\n \\t \\u0041 \"quoted\"",
    "THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND.", "camelCaseWords snake_case_words SCREAMING_CASE",
    "Supercalifragilisticexpialidocious antidisestablishmentarianism", "wwwwwwww.......!!!!!???", "a,b;c:d|e/f\\g(h)[i]{j}<k>", "\u00a1\u00bf\u20ac\u00a3\u00a5\u00a2\u00a9\u00ae\u2122\u00b0\u00b1\u00d7\u00f7",
]
