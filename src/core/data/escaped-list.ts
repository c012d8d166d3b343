/** A text as it is an element of an escaped list: a backslash is before each delimiter and backslash. */
export function escapedElement(text: string, delimiter: string): string {
    return text.replaceAll('\\', '\\\\').replaceAll(delimiter, `\\${delimiter}`);
}

/** The elements of an escaped list, at most `most`. A backslash before any other text is itself. */
export function splitEscaped(text: string, delimiter: string, most = Infinity): readonly string[] {
    const parts: string[] = [];
    let part = '';
    for (let at = 0; at < text.length && parts.length < most;) {
        if (text[at] === '\\' && text[at + 1] === '\\') {
            part += '\\';
            at += 2;
        } else if (text[at] === '\\' && text.startsWith(delimiter, at + 1)) {
            part += delimiter;
            at += 1 + delimiter.length;
        } else if (text.startsWith(delimiter, at)) {
            parts.push(part);
            part = '';
            at += delimiter.length;
        } else part += text[at++]!;
    }
    return parts.length < most ? [...parts, part] : parts;
}
