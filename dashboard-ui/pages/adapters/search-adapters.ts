import { searched } from '../../parts/search';

/** An adapter as far as it is looked for. */
export interface SearchedAdapter {
    readonly kind: string;
    readonly code: string;
    readonly aliases: readonly string[];
    readonly title: string;
    readonly summary: string;
    readonly category: string | null;
}

/** Adapters of a kind that contain each of the words, or words with the same meaning. Those that are called so come first, then by title. */
export function searchAdapters<T extends SearchedAdapter>(
    adapters: readonly T[],
    { text, kind }: { readonly text: string; readonly kind: string | undefined },
): readonly T[] {
    const offered = adapters
        .filter(adapter => kind === undefined || adapter.kind === kind)
        .sort((a, b) => a.title.localeCompare(b.title));
    return searched(offered, text, ({ code, aliases, title, summary, category }) => ({
        titles: [title],
        codes: [code, ...aliases],
        about: `${category ?? ''} ${summary}`,
    }));
}
