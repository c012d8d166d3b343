/** What a pipeline's runs have come to, as far as its place among others goes. */
interface Share {
    readonly pipeline: { readonly name: string };
    readonly figures: {
        readonly runs: number;
        readonly failed: number;
        readonly recordsRejected: number;
    };
}

/** Pipelines in the order in which they ask for a look: most failed runs first, then most rejected records, then most runs. */
export function ranked<T extends Share>(pipelines: readonly T[]): readonly T[] {
    return [...pipelines].sort(
        (a, b) =>
            b.figures.failed - a.figures.failed ||
            b.figures.recordsRejected - a.figures.recordsRejected ||
            b.figures.runs - a.figures.runs ||
            a.pipeline.name.localeCompare(b.pipeline.name),
    );
}
