import { cellText, fieldsOf, valueAt } from '../../../parts/record-fields';

/** A path that sample records have. */
export interface SamplePath {
    readonly path: string;
    readonly example: string;
    readonly type: string;
    /** The share of records in which it is filled, 0 to 1. */
    readonly filled: number;
    /** The records that come do not have it: an operator of the step makes it. */
    readonly isMade?: true;
}

const MAX_EXAMPLE = 40;

/** The paths of some records, in the order in which they turn up. */
export function samplePaths(records: readonly unknown[]): readonly SamplePath[] {
    const paths = [...new Set(records.flatMap(record => fieldsOf(record).map(({ path }) => path)))];
    return paths.map(path => {
        const values = records.map(record => valueAt(record, path)).filter(value => cellText(value) !== '');
        const example = cellText(values[0]);
        return {
            path,
            example: example.length <= MAX_EXAMPLE ? example : `${example.slice(0, MAX_EXAMPLE - 1)}…`,
            type: Array.isArray(values[0]) ? 'list' : values[0] === undefined ? '' : typeof values[0],
            filled: records.length === 0 ? 0 : values.length / records.length,
        };
    });
}

/** The paths of the records that reach a step, followed by the paths that its operators create. */
export function pathsWithin(records: readonly unknown[], made: readonly unknown[]): readonly SamplePath[] {
    const own = samplePaths(records);
    const known = new Set(own.map(({ path }) => path));
    const fresh = samplePaths(made).filter(({ path }) => !known.has(path));
    return [...own, ...fresh.map(one => ({ ...one, isMade: true as const }))];
}

/** A path of the samples that an unknown one may be meant for: the same but for case, blanks and signs. */
export function meantPath(paths: readonly SamplePath[], text: string): string | undefined {
    const plain = (path: string): string => path.toLowerCase().replace(/[^\p{L}\p{N}.]/gu, '');
    const wanted = plain(text);
    return wanted === '' ? undefined : paths.find(({ path }) => path !== text && plain(path) === wanted)?.path;
}

/** Whether a path leads to something in the samples: it is one of theirs, or above or below one. */
export function isKnownPath(paths: readonly SamplePath[], text: string): boolean {
    return paths.some(({ path }) => path === text || path.startsWith(`${text}.`) || text.startsWith(`${path}.`));
}
