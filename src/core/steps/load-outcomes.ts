import type { Batch, Origin } from '../data/record';
import type { LoadOutcomes } from '../ports/ports';

/**
 * The verdict of a load for one record: its letter and the record's number in its source. The number is undefined in values that earlier versions
 * stored.
 */
interface LoadOutcomeCode {
    readonly letter: string;
    readonly seq: number | undefined;
}

/** Replaces the letter of a record whose verdict is not known yet. */
const UNKNOWN = '?';

/** The record that a verdict is about. */
interface Told {
    readonly origin: Pick<Origin, 'seq'>;
}

/**
 * Writes the letters, then the record numbers in their order: `CC=X 5-7,9`. The numbers identify the records if a repeated batch has other records
 * between them. `behind`: the verdicts of earlier records of the batch.
 */
export function writeOutcomes(letters: string, batch: readonly Told[], after?: LoadOutcomes): LoadOutcomes {
    const before = after === undefined ? [] : readOutcomes(after);
    const seqs = [...before.map(({ seq = -1 }) => seq), ...batch.map(({ origin }) => origin.seq)];
    return written(before.map(({ letter }) => letter).join('') + letters, seqs);
}

function written(letters: string, seqs: readonly number[]): LoadOutcomes {
    const ranges: Array<[number, number]> = [];
    for (const seq of seqs) {
        const last = ranges[ranges.length - 1];
        if (last && last[1] + 1 === seq) last[1] = seq;
        else ranges.push([seq, seq]);
    }
    return `${letters} ${ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',')}`;
}

export function readOutcomes(told: LoadOutcomes): readonly LoadOutcomeCode[] {
    const [letters = '', ranges = ''] = told.split(' ');
    const seqs: number[] = [];
    for (const range of ranges === '' ? [] : ranges.split(',')) {
        const [from, to = from] = range.split('-').map(Number);
        for (let seq = from!; seq <= to!; seq++) seqs.push(seq);
    }
    return [...letters].map((letter, i) => ({ letter, seq: seqs[i] }));
}

/**
 * The letter of each record of a repeated batch, in its order; undefined for a record without a verdict. Records with the same number keep their
 * order.
 */
export function outcomeLettersOf(
    batch: Batch,
    outcomes: readonly LoadOutcomeCode[],
): ReadonlyArray<string | undefined> {
    if (outcomes.some(({ seq }) => seq === undefined)) return batch.map((_, i) => outcomes[i]?.letter);
    const bySeq = new Map<number | undefined, { readonly letters: string[]; next: number }>();
    for (const { seq, letter } of outcomes) {
        const known = bySeq.get(seq);
        if (known) known.letters.push(letter);
        else bySeq.set(seq, { letters: [letter], next: 0 });
    }
    return batch.map(({ origin }) => {
        const known = bySeq.get(origin.seq);
        return known?.letters[known.next++];
    });
}

/** The letters alone, in their stored order. */
export function outcomeLettersIn(outcomes: LoadOutcomes): string {
    return outcomes.split(' ', 1)[0]!;
}

/**
 * The verdicts of a batch that become known in parts. Each record has its place from the beginning, so that records with the same number stay
 * distinguishable when the batch is repeated.
 */
export class GrowingOutcomes {
    private readonly letters: string[];
    private readonly seqs: number[];
    /** How many records the batch has. */
    private readonly count: number;
    /** The place of each record of the batch among the stored verdicts; undefined if each has the same index. */
    private readonly places: readonly number[] | undefined;

    /** `stored`: the earlier verdicts, which may include records that no longer arrive. */
    constructor(batch: Batch, stored: LoadOutcomes | undefined) {
        this.count = batch.length;
        if (stored === undefined) {
            this.letters = batch.map(() => UNKNOWN);
            this.seqs = batch.map(({ origin }) => origin.seq);
            return;
        }
        const told = readOutcomes(stored);
        this.letters = told.map(({ letter }) => letter);
        this.seqs = told.map(({ seq = -1 }) => seq);
        const free = new Map<number, number[]>();
        for (const [place, seq] of this.seqs.entries()) free.set(seq, [...(free.get(seq) ?? []), place]);
        this.places = batch.map(({ origin: { seq } }) => {
            const place = free.get(seq)?.shift();
            if (place !== undefined) return place;
            this.seqs.push(seq);
            return this.letters.push(UNKNOWN) - 1;
        });
    }

    isKnown(index: number): boolean {
        return this.letters[this.placeOf(index)] !== UNKNOWN;
    }

    tell(index: number, letter: string): void {
        this.letters[this.placeOf(index)] = letter;
    }

    /** The stored form: all places, including those without an outcome. */
    get stored(): LoadOutcomes {
        return written(this.letters.join(''), this.seqs);
    }

    /** Of the records that something is known of. */
    get known(): LoadOutcomes {
        const isKnown = (_: unknown, place: number): boolean => this.letters[place] !== UNKNOWN;
        return written(this.letters.filter(isKnown).join(''), this.seqs.filter(isKnown));
    }

    /** Whether every record of the batch has a verdict. */
    get isComplete(): boolean {
        for (let index = 0; index < this.count; index++) if (!this.isKnown(index)) return false;
        return true;
    }

    private placeOf(index: number): number {
        return this.places === undefined ? index : this.places[index]!;
    }
}
