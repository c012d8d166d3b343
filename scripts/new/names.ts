import ts from 'typescript';

/** What a code is called elsewhere: `stripHtml` and `OBJECT_STORAGE`. */
export interface Names {
    /** strip-html, object-storage */
    readonly kebab: string;
    /** stripHtml, objectStorage */
    readonly camel: string;
    /** Strip html, Object storage */
    readonly title: string;
}

export function namesOf(code: string): Names {
    const isUpper = code === code.toUpperCase();
    const words = isUpper
        ? code.toLowerCase().split('_')
        : code.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`).split(' ');
    const text = words.join(' ');
    return {
        kebab: words.join('-'),
        camel: words.map((word, i) => (i === 0 ? word : capital(word))).join(''),
        title: capital(text),
    };
}

export function capital(text: string): string {
    return text[0]!.toUpperCase() + text.slice(1);
}

const NOT_IN_MODULES = new Set(['await', 'eval', 'arguments', 'undefined']);

/** Whether the language lets a constant have this name. */
export function isFree(name: string): boolean {
    if (NOT_IN_MODULES.has(name)) return false;
    const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, undefined, name);
    const token = scanner.scan();
    return token === ts.SyntaxKind.Identifier || token > ts.SyntaxKind.LastFutureReservedWord;
}
