import ts from 'typescript';

const parsed = new Map<string, ts.SourceFile>();

/** A text, parsed by TypeScript. Specs that read the whole repository are one group, and share the parsed files. */
export function parsedSource(file: string, text: string): ts.SourceFile {
    const known = parsed.get(file);
    if (known?.text === text) return known;
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    parsed.set(file, source);
    return source;
}
