/** JSON begins with a brace; all else is read as YAML. */
export function formatOf(document: string): 'JSON' | 'YAML' {
    return document.trimStart().startsWith('{') ? 'JSON' : 'YAML';
}

/** The pipeline code in a document, if it can be found without parsing all of it. The server parses it in any case. */
export function codeOf(document: string): string | undefined {
    if (formatOf(document) === 'YAML') return /^code:\s*['"]?([a-z0-9-]+)['"]?\s*$/m.exec(document)?.[1];
    try {
        const { code } = JSON.parse(document) as { readonly code?: unknown };
        return typeof code === 'string' ? code : undefined;
    } catch {
        return undefined; // The server says what is wrong with it.
    }
}
