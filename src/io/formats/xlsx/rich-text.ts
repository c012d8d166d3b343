/** A character that XML could not hold, as the standard writes it (ECMA-376, 22.9.2.19): `_x000D_` is a carriage return. */
const ESCAPE = /_x([0-9A-F]{4})_/gi;

/**
 * Replaces the escapes in a text. Those that are not a character by themselves (NUL, halves of pairs) stay unchanged.
 */
export function unescaped(text: string): string {
    if (!text.includes('_x')) return text;
    return text.replace(ESCAPE, (escape, digits: string) => {
        const code = parseInt(digits, 16);
        return code === 0 || (code >= 0xd800 && code <= 0xdfff) ? escape : String.fromCharCode(code);
    });
}

/**
 * Follows the elements of a string, plain (`t`) or in runs with separate formats (`r`, `t`), and determines which
 * text belongs to it: the text that shows its pronunciation (`rPh`) does not.
 */
export class RichText {
    private phonetic = 0;
    private isInText = false;

    get takesText(): boolean {
        return this.isInText && this.phonetic === 0;
    }

    /** For the next string. */
    reset(): void {
        this.phonetic = 0;
        this.isInText = false;
    }

    open(element: string): void {
        if (element === 'rPh') this.phonetic++;
        else if (element === 't') this.isInText = true;
    }

    close(element: string): void {
        if (element === 'rPh') this.phonetic--;
        else if (element === 't') this.isInText = false;
    }
}
