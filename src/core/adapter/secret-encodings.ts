/** Of the base64 of a longer text that holds the secret ("user:password"), only what the secret alone decides is known. */
const LEAST_WITHIN = 8;

/** How a secret is written in the places that it passes on its way. */
interface SecretEncodings {
    /** As it is, in URLs, forms, JSON, HTML and hexadecimal. */
    readonly plain: ReadonlySet<string>;
    /** In base64, alone and within a longer text; lines may be broken anywhere in it. */
    readonly base64: ReadonlySet<string>;
}

/** The text unchanged, and as JSON and GraphQL write it. */
export function secretEncodings(text: string): ReadonlySet<string> {
    return new Set([text, inJson(text)]);
}

/** All known encodings. The text may contain half a surrogate pair, which is encoded as the replacement character. */
export function secretEncodingsOf(text: string): SecretEncodings {
    const bytes = Buffer.from(text);
    const hexadecimal = bytes.toString('hex');
    const plain = new Set([
        text,
        hexadecimal,
        hexadecimal.toUpperCase(),
        ...percentForms(bytes.toString()),
        ...jsonForms(text),
        ...entityForms(text),
    ]);
    const base64 = base64Forms(bytes);
    // Others send characters up to ÿ as one byte each.
    const isLatin = /^[\0-\xff]*$/.test(text) && /[\x80-\xff]/.test(text);
    return { plain, base64: isLatin ? new Set([...base64, ...base64Forms(Buffer.from(text, 'latin1'))]) : base64 };
}

/** Percent-encoded once and twice, with the digits in capitals and in small letters. */
function percentForms(text: string): readonly string[] {
    const component = encodeURIComponent(text);
    const strict = component.replace(/[!'()*]/g, char => `%${hex(char.charCodeAt(0), 2).toUpperCase()}`);
    const once = [
        component,
        strict,
        strict.replaceAll('%2F', '/'),
        encodeURI(text),
        new URLSearchParams([['', text]]).toString().slice(1),
    ].flatMap(form => [form, form.replace(/%[\dA-F]{2}/g, code => code.toLowerCase())]);
    return [...once, ...once.map(encodeURIComponent)];
}

/** As the JSON of common languages writes it, and as that appears within a JSON text. */
function jsonForms(text: string): readonly string[] {
    const json = inJson(text);
    const withSlashes = json.replaceAll('/', '\\/');
    const escapes = [hexOf, (char: string): string => hexOf(char).toUpperCase()].flatMap(digits => {
        const escaped = (form: string, chars: RegExp): string => form.replace(chars, char => `\\u${digits(char)}`);
        return [
            escaped(json, /[\x7f-\uffff]/g),
            escaped(withSlashes, /[\x7f-\uffff]/g),
            escaped(json, /[<>&\u2028\u2029]/g),
            escaped(json.replaceAll('\\"', '"'), /["&'+<>`\x7f-\uffff]/g),
        ];
    });
    const once = [json, withSlashes, ...escapes];
    return [...once, ...once.map(inJson), ...once.map(form => inJson(form).replaceAll('/', '\\/'))];
}

function inJson(text: string): string {
    return JSON.stringify(text).slice(1, -1);
}

type Written = (char: string) => string;

const decimal: Written = char => `&#${char.codePointAt(0)!};`;
const lower: Written = char => `&#x${char.codePointAt(0)!.toString(16)};`;
const upper: Written = char => `&#x${char.codePointAt(0)!.toString(16).toUpperCase()};`;
const asItIs: Written = char => char;
const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** HTML's names for the characters from U+00A0 to U+00FF. */
const LATIN_NAMES = (
    'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm ' +
    'raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde ' +
    'Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave ' +
    'eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
).split(' ');
const latin: Written = char => {
    const name = LATIN_NAMES[char.codePointAt(0)! - 0xa0];
    return name === undefined ? char : `&${name};`;
};

/** With the entities of HTML and XML: for the characters that require one, those beyond ASCII, those that are not letters, and all. */
function entityForms(text: string): readonly string[] {
    const beyond = [asItIs, latin, decimal, lower, upper];
    const apostrophes = ["'", '&#39;', '&#039;', '&#x27;', '&apos;'];
    const named = beyond.flatMap(other => {
        const foreign = (chars: RegExp, ownName: string): string =>
            text.replace(chars, char => (char === "'" ? ownName : (NAMED[char] ?? other(char))));
        return [
            foreign(/[&<>]|[^\0-\x7f]/gu, ''),
            ...apostrophes.map(apostrophe => foreign(/[&<>"']|[^\0-\x7f]/gu, apostrophe)),
        ];
    });
    const numbered = [decimal, lower, upper].flatMap(number => [
        text.replace(/[&<>"']|[^\0-\x7f]/gu, number),
        text.replace(/[^A-Za-z\d]/gu, number),
        text.replace(/[^]/gu, number),
    ]);
    return [...named, ...numbered];
}

/** Alone and at the three places that it may have in a longer text, in both alphabets, and as URLs and JSON write these. */
function base64Forms(bytes: Buffer): ReadonlySet<string> {
    const forms = [
        bytes.toString('base64'),
        bytes.toString('base64url'),
        ...[0, 1, 2].flatMap(offset => base64Within(bytes, offset)),
    ];
    return new Set(
        forms.flatMap(form => [
            form,
            encodeURIComponent(form),
            encodeURIComponent(form).replace(/%[\dA-F]{2}/g, code => code.toLowerCase()),
            form.replaceAll('/', '\\/'),
        ]),
    );
}

/** The part of the base64 of any text that the secret determines, if this number of bytes (modulo three) precedes it. */
function base64Within(bytes: Buffer, offset: number): readonly string[] {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const from = Math.ceil((offset * 8) / 6);
    const to = Math.floor((padded.length * 8) / 6);
    const forms = (['base64', 'base64url'] as const).map(alphabet => padded.toString(alphabet).slice(from, to));
    return forms.filter(form => form.length >= LEAST_WITHIN);
}

function hexOf(char: string): string {
    return hex(char.charCodeAt(0), 4);
}

function hex(code: number, digits: number): string {
    return code.toString(16).padStart(digits, '0');
}
