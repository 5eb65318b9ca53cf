// Reads a stream of JSON values, strictly, one byte after the other, however they come.
//
// Nothing is read from anywhere here: bytes are handed in, values come out. The rules, and which byte is
// named where they are broken, are those of docs/json.md and docs/games/index.md. JSON.parse cannot take this
// place: it sees neither 1.0 nor a key that stands twice, and it rounds long integers.

/** How deep brackets may be nested where the game programs read. */
export const MAX_DEPTH = 512;

/** A number as it was written: whoever needs its value asks for it (form.mjs). */
export class Numeral {
    constructor(text) {
        this.text = text;
    }
}

/** The bytes cannot begin any stream of values; `byte` is the first at which that is certain. */
export class Malformed extends Error {
    constructor(byte, reason) {
        super(`${reason}, at byte ${byte} of the input`);
        this.byte = byte;
    }
}

const code = (character) => character.charCodeAt(0);

const QUOTE = code('"');
const BACKSLASH = code("\\");
const COMMA = code(",");
const COLON = code(":");
const MINUS = code("-");
const LETTER_U = code("u");

const SPACES = new Set([..." \t\n\r"].map(code));

const WORDS = new Map([
    [code("t"), ["true", true]],
    [code("f"), ["false", false]],
    [code("n"), ["null", null]],
]);

const ESCAPES = new Map(
    Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" })
        .map(([letter, text]) => [code(letter), text]),
);

/** Where one can be in a number, and what leads where; where `whole` is so, it may end. */
const NUMBER = {
    sign: { 0: "zero", digit: "integer" },
    zero: { point: "point", e: "e", whole: true },
    integer: { 0: "integer", digit: "integer", point: "point", e: "e", whole: true },
    point: { 0: "fraction", digit: "fraction" },
    fraction: { 0: "fraction", digit: "fraction", e: "e", whole: true },
    e: { 0: "exponent", digit: "exponent", sign: "signed" },
    signed: { 0: "exponent", digit: "exponent" },
    exponent: { 0: "exponent", digit: "exponent", whole: true },
};

/**
 * The values of a stream, as their bytes are handed in.
 *
 * An object is a Map, which keeps the order of its members (that of a plain object is not kept where keys look
 * like indices); an array is an array, a number is a Numeral, and the rest is what it is in JavaScript.
 *
 * Each method called `in...`, `before...` or `after...` is a state: it takes the next byte, and answers
 * `true` where it had use for it, `false` where the state that it has set is to look at it again.
 */
export class Reader {
    #at = 0; // the offset of the byte that is looked at
    #state = this.#beforeValue;
    #open = []; // the containers around, the outermost first: { value, key, close }
    #finished = []; // the value of the stream that is complete, if one just is
    #text = ""; // of the string, number or word that is being read
    #isKey = false;
    #began = 0; // the offset of the opening quote
    #word = WORDS.get(LETTER_U); // the word that is being read, and its value
    #part = "sign"; // where in a number: a key of NUMBER
    #left = 0; // hexadecimal digits, or bytes of a character, that are still to come
    #number = 0; // what these have made so far
    #range = [0, 0]; // between which the next byte of the character has to be
    #backslash = 0; // the offset of the last escape's, of a pair that of the first
    #high = 0; // the first half of a pair of surrogates, or 0
    #maxDepth;

    constructor(maxDepth = MAX_DEPTH) {
        this.#maxDepth = maxDepth;
    }

    /** The values that these bytes complete, one by one. Throws Malformed after those that come before the fault. */
    *values(bytes) {
        for (const byte of bytes) {
            let used = false;
            while (!used) {
                used = this.#state(byte);
                yield* this.#finished.splice(0);
            }
            this.#at += 1;
        }
    }

    /** The value that the end of the input completes, if there is one: a number. Throws Malformed inside a value. */
    *end() {
        if (this.#state === this.#inNumber && NUMBER[this.#part].whole) this.#endNumber();
        yield* this.#finished.splice(0);
        const between = this.#state === this.#beforeValue || this.#state === this.#afterScalar;
        if (!between || this.#open.length > 0) this.#refuse(`the text ends inside ${this.#inside()}`);
    }

    // Between tokens

    #beforeValue(byte) {
        return SPACES.has(byte) || this.#begin(byte, "a value");
    }

    /** After a number or a word of the stream, which has to be told from what follows. */
    #afterScalar(byte) {
        const apart = SPACES.has(byte) || '[{"'.includes(character(byte));
        if (!apart && this.#beginsScalar(byte)) {
            this.#refuse(`white space expected between two values, found ${shown(byte)}`);
        }
        this.#state = this.#beforeValue;
        return false;
    }

    #beforeFirstElement(byte) {
        return SPACES.has(byte) || this.#closes(byte) || this.#begin(byte, "a value or ']'");
    }

    #afterElement(byte) {
        if (SPACES.has(byte) || this.#closes(byte)) return true;
        if (byte !== COMMA) this.#refuse(`',' or ']' expected, found ${shown(byte)}`);
        this.#state = this.#beforeValue;
        return true;
    }

    #beforeFirstKey(byte) {
        return SPACES.has(byte) || this.#closes(byte) || this.#beginKey(byte, "a key in quotes or '}'");
    }

    #beforeKey(byte) {
        return SPACES.has(byte) || this.#beginKey(byte, "a key in quotes");
    }

    #afterKey(byte) {
        if (SPACES.has(byte)) return true;
        if (byte !== COLON) this.#refuse(`':' after a key expected, found ${shown(byte)}`);
        this.#state = this.#beforeValue;
        return true;
    }

    #afterMember(byte) {
        if (SPACES.has(byte) || this.#closes(byte)) return true;
        if (byte !== COMMA) this.#refuse(`',' or '}' expected, found ${shown(byte)}`);
        this.#state = this.#beforeKey;
        return true;
    }

    // Beginnings and ends

    #begin(byte, expected) {
        if (byte === QUOTE) return this.#beginString({ isKey: false });
        if (byte === code("[")) return this.#beginContainer([], "]", this.#beforeFirstElement);
        if (byte === code("{")) return this.#beginContainer(new Map(), "}", this.#beforeFirstKey);
        if (!this.#beginsScalar(byte)) this.#refuse(`${expected} expected, found ${shown(byte)}`);
        return WORDS.has(byte) ? this.#beginWord(byte) : this.#beginNumber(byte);
    }

    #beginsScalar(byte) {
        return WORDS.has(byte) || byte === MINUS || isDigit(byte);
    }

    #beginContainer(value, close, state) {
        if (this.#open.length === this.#maxDepth) this.#refuse(`brackets nested more than ${this.#maxDepth} deep`);
        this.#open.push({ value, key: "", close: code(close) });
        this.#state = state;
        return true;
    }

    #beginWord(byte) {
        this.#word = WORDS.get(byte);
        this.#text = character(byte);
        this.#state = this.#inWord;
        return true;
    }

    #beginNumber(byte) {
        this.#text = character(byte);
        this.#part = byte === MINUS ? "sign" : NUMBER.sign[digitKind(byte)];
        this.#state = this.#inNumber;
        return true;
    }

    #beginKey(byte, expected) {
        if (byte !== QUOTE) this.#refuse(`${expected} expected, found ${shown(byte)}`);
        return this.#beginString({ isKey: true });
    }

    #beginString({ isKey }) {
        this.#isKey = isKey;
        this.#began = this.#at;
        this.#text = "";
        this.#state = this.#inString;
        return true;
    }

    #closes(byte) {
        if (byte !== this.#open.at(-1).close) return false;
        this.#complete(this.#open.pop().value, this.#beforeValue);
        return true;
    }

    /** A value is complete; `next` is the state where it was one of the stream. */
    #complete(value, next) {
        const around = this.#open.at(-1);
        if (around === undefined) {
            this.#finished.push(value);
            this.#state = next;
        } else if (Array.isArray(around.value)) {
            around.value.push(value);
            this.#state = this.#afterElement;
        } else {
            around.value.set(around.key, value);
            this.#state = this.#afterMember;
        }
    }

    // Words and numbers

    #inWord(byte) {
        const [word, value] = this.#word;
        if (byte !== code(word[this.#text.length])) {
            this.#refuse(`the word ${word} expected, found ${shown(byte)}`);
        }
        this.#text += character(byte);
        if (this.#text === word) this.#complete(value, this.#afterScalar);
        return true;
    }

    #inNumber(byte) {
        const next = NUMBER[this.#part][digitKind(byte)];
        if (next === undefined) return this.#afterDigits(byte);
        this.#text += character(byte);
        this.#part = next;
        return true;
    }

    #afterDigits(byte) {
        if (this.#part === "zero" && isDigit(byte)) {
            this.#refuse(`no digit may follow a leading 0, found ${shown(byte)}`);
        }
        if (!NUMBER[this.#part].whole) this.#refuse(`a digit expected in a number, found ${shown(byte)}`);
        this.#endNumber();
        return false;
    }

    #endNumber() {
        this.#complete(new Numeral(this.#text), this.#afterScalar);
    }

    // Strings

    #inString(byte) {
        if (byte === QUOTE) this.#endString();
        else if (byte === BACKSLASH) this.#beginEscape();
        else if (byte < 0x20) this.#refuse(`a control character in a string must be escaped: ${shown(byte)}`);
        else if (byte < 0x80) this.#text += character(byte);
        else this.#beginCharacter(byte);
        return true;
    }

    #endString() {
        if (!this.#isKey) return this.#complete(this.#text, this.#beforeValue);
        const around = this.#open.at(-1);
        if (around.value.has(this.#text)) {
            throw new Malformed(this.#began, `the key ${JSON.stringify(this.#text)} stands twice in one object`);
        }
        around.key = this.#text;
        this.#state = this.#afterKey;
    }

    /** The first byte of a character beyond ASCII: which may follow is table 3-7 of the Unicode standard. */
    #beginCharacter(byte) {
        if (byte < 0xc2 || byte > 0xf4) this.#refuse(`invalid UTF-8: ${shown(byte)} begins no character`);
        this.#left = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
        this.#number = byte & (0x3f >> this.#left);
        this.#range = [
            byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80, // shorter forms exist below
            byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf, // surrogates, and what is beyond U+10FFFF, above
        ];
        this.#state = this.#inCharacter;
    }

    #inCharacter(byte) {
        const [least, most] = this.#range;
        if (byte < least || byte > most) {
            this.#refuse(`invalid UTF-8: ${shown(byte)} does not continue a character`);
        }
        this.#number = (this.#number << 6) | (byte & 0x3f);
        this.#range = [0x80, 0xbf];
        this.#left -= 1;
        if (this.#left === 0) this.#append(String.fromCodePoint(this.#number));
        return true;
    }

    #append(text) {
        this.#text += text;
        this.#state = this.#inString;
    }

    // Escapes

    #beginEscape() {
        this.#backslash = this.#at;
        this.#state = this.#inEscape;
    }

    #inEscape(byte) {
        if (byte === LETTER_U) return this.#beginHexadecimal();
        if (!ESCAPES.has(byte)) {
            this.#refuse(`no such escape in a string: a backslash and ${shown(byte)}`);
        }
        this.#append(ESCAPES.get(byte));
        return true;
    }

    #beginHexadecimal() {
        this.#left = 4;
        this.#number = 0;
        this.#state = this.#inHexadecimal;
        return true;
    }

    #inHexadecimal(byte) {
        const digit = "0123456789abcdef".indexOf(character(byte).toLowerCase());
        if (digit < 0) this.#refuseDigit(byte);
        this.#left -= 1;
        this.#number = this.#number * 16 + digit;
        this.#refuseLoneSurrogate();
        if (this.#left === 0) this.#endHexadecimal();
        return true;
    }

    #refuseDigit(byte) {
        if (this.#high !== 0) this.#refuseSurrogate();
        this.#refuse(`four hexadecimal digits expected after \\u, found ${shown(byte)}`);
    }

    /** A second half has to follow a first one, and must not come otherwise: certain before the last digit. */
    #refuseLoneSurrogate() {
        const least = this.#number * 16 ** this.#left;
        const most = least + 16 ** this.#left - 1;
        if (this.#high !== 0 && (most < 0xdc00 || least > 0xdfff)) this.#refuseSurrogate();
        if (this.#high === 0 && least >= 0xdc00 && most <= 0xdfff) this.#refuseSurrogate();
    }

    #endHexadecimal() {
        if (this.#number >= 0xd800 && this.#number <= 0xdbff) {
            this.#high = this.#number;
            this.#state = this.#afterHigh;
            return;
        }
        const pair = this.#high === 0 ? [] : [this.#high];
        this.#high = 0;
        this.#append(String.fromCharCode(...pair, this.#number));
    }

    #afterHigh(byte) {
        if (byte !== BACKSLASH) this.#refuseSurrogate();
        this.#state = this.#inSecondEscape;
        return true;
    }

    #inSecondEscape(byte) {
        return byte === LETTER_U ? this.#beginHexadecimal() : this.#refuseSurrogate();
    }

    #refuseSurrogate() {
        throw new Malformed(this.#backslash, "a lone surrogate: \\uD800 to \\uDFFF come in pairs only");
    }

    // Refusals

    #refuse(reason) {
        throw new Malformed(this.#at, reason);
    }

    /** What the end of the input has cut short. */
    #inside() {
        if (this.#state === this.#inWord) return `the word ${this.#word[0]}`;
        if (this.#state === this.#inNumber) return "a number";
        if (STRING_STATES.includes(this.#state.name)) return this.#isKey ? "a key" : "a string";
        return Array.isArray(this.#open.at(-1).value) ? "an array" : "an object";
    }
}

const STRING_STATES = [
    "#inString", "#inCharacter", "#inEscape", "#inHexadecimal", "#afterHigh", "#inSecondEscape",
];

function character(byte) {
    return String.fromCharCode(byte);
}

function isDigit(byte) {
    return byte >= code("0") && byte <= code("9");
}

/** What a byte is to a number: a key of NUMBER's rows; undefined where it is nothing to one. */
function digitKind(byte) {
    if (isDigit(byte)) return byte === code("0") ? "0" : "digit";
    return { ".": "point", e: "e", E: "e", "+": "sign", "-": "sign" }[character(byte)];
}

const NAMED = { " ": "a space", "\t": "a tab", "\n": "the end of the line", "\r": "a carriage return" };

/** A byte, as a message shows it. */
function shown(byte) {
    const text = character(byte);
    if (text in NAMED) return NAMED[text];
    const visible = byte > 0x20 && byte < 0x7f;
    return visible ? `'${text}'` : `the byte 0x${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}
