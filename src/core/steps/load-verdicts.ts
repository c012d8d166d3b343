import type { Batch, Origin } from '../data/record';
import type { LoadVerdicts } from '../ports/ports';

/** What a load has told of one record: its letter and the record's number in its source; undefined of what earlier versions have stored. */
export interface LoadVerdict {
    readonly letter: string;
    readonly seq: number | undefined;
}

/** What a verdict is told of. */
interface Told {
    readonly origin: Pick<Origin, 'seq'>;
}

/** The letters, then the numbers of the records in their order: `CC=X 5-7,9`. So they are found again where other records have come between them. */
export function writeVerdicts(letters: string, batch: readonly Told[]): LoadVerdicts {
    const ranges: Array<[number, number]> = [];
    for (const { origin } of batch) {
        const last = ranges.at(-1);
        if (last && last[1] + 1 === origin.seq) last[1] = origin.seq;
        else ranges.push([origin.seq, origin.seq]);
    }
    return `${letters} ${ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',')}`;
}

export function readVerdicts(told: LoadVerdicts): readonly LoadVerdict[] {
    const [letters = '', ranges = ''] = told.split(' ');
    const seqs: number[] = [];
    for (const range of ranges === '' ? [] : ranges.split(',')) {
        const [from, to = from] = range.split('-').map(Number);
        for (let seq = from!; seq <= to!; seq++) seqs.push(seq);
    }
    return [...letters].map((letter, i) => ({ letter, seq: seqs[i] }));
}

/** Which letter each record of a batch has that comes again, in its order; undefined of one that did not come before. Several of one number keep their order. */
export function lettersOf(batch: Batch, verdicts: readonly LoadVerdict[]): ReadonlyArray<string | undefined> {
    if (verdicts.some(({ seq }) => seq === undefined)) return batch.map((_, i) => verdicts[i]?.letter);
    const bySeq = new Map<number | undefined, { readonly letters: string[]; next: number }>();
    for (const { seq, letter } of verdicts) {
        const known = bySeq.get(seq);
        if (known) known.letters.push(letter);
        else bySeq.set(seq, { letters: [letter], next: 0 });
    }
    return batch.map(({ origin }) => {
        const known = bySeq.get(origin.seq);
        return known?.letters[known.next++];
    });
}
