import { cellText, fieldsOf, valueAt } from '../../parts/record-fields';

const MOST = 2;

/** The parts of a rejected record that show where the error is. */
export interface Faulty {
    readonly payload: unknown;
    readonly path: string | null;
    readonly message: string;
}

/**
 * The fields to look at first. A step often names a field that it has made itself, out of one that came with another name: then those whose
 * value the message quotes are meant, or where something is missing those that are blank here and filled in the other records.
 */
export function suspectsOf(record: Faulty, others: readonly Faulty[] = []): readonly string[] {
    const { payload, path } = record;
    if (path === null) return [];
    if (payload === null || valueAt(payload, path) !== undefined) return [path];
    const found = [quotedIn(record), blankIn(record, others)].find(paths => paths.length > 0 && paths.length <= MOST);
    return found ?? [path];
}

function quotedIn({ payload, message }: Faulty): readonly string[] {
    return fieldsOf(payload)
        .map(({ path, value }) => ({ path, text: cellText(value) }))
        .filter(({ text }) => text !== '' && message.includes(JSON.stringify(text)))
        .map(({ path }) => path);
}

/** A source may leave out what is blank, so that only its other records show that there is such a field. */
function blankIn({ payload }: Faulty, others: readonly Faulty[]): readonly string[] {
    const known = [payload, ...others.map(other => other.payload)].flatMap(one =>
        fieldsOf(one).map(({ path }) => path),
    );
    return [...new Set(known)].filter(path => cellText(valueAt(payload, path)).trim() === '');
}
