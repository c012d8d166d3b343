/** An adapter as far as it is looked for. */
export interface SearchedAdapter {
    readonly kind: string;
    readonly code: string;
    readonly aliases: readonly string[];
    readonly title: string;
    readonly summary: string;
    readonly category: string | null;
}

/** Adapters of a kind that contain each of the words. Names that begin with the search come first, then by title. */
export function searchAdapters<T extends SearchedAdapter>(
    adapters: readonly T[],
    { text, kind }: { readonly text: string; readonly kind: string | undefined },
): readonly T[] {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const haystack = ({ code, aliases, title, summary, category }: T): string =>
        [code, ...aliases, title, summary, category ?? ''].join('\n').toLowerCase();
    const beginsWith = ({ code, title }: T): number =>
        words.length > 0 && [code, title].some(name => name.toLowerCase().startsWith(words[0]!)) ? 0 : 1;
    return adapters
        .filter(adapter => kind === undefined || adapter.kind === kind)
        .filter(adapter => words.every(word => haystack(adapter).includes(word)))
        .sort((a, b) => beginsWith(a) - beginsWith(b) || a.title.localeCompare(b.title));
}
