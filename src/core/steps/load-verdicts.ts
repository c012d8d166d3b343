import type { Batch, Origin } from '../data/record';
import type { LoadVerdicts } from '../ports/ports';

/** What a load has told of one record: its letter and the record's number in its source; undefined of what earlier versions have stored. */
export interface LoadVerdict {
    readonly letter: string;
    readonly seq: number | undefined;
}

/** In the place of the letter of a record of which nothing is known yet. */
const UNKNOWN = '?';

/** What a verdict is told of. */
interface Told {
    readonly origin: Pick<Origin, 'seq'>;
}

/**
 * The letters, then the numbers of the records in their order: `CC=X 5-7,9`. So they are found again where other records have come between them.
 * `behind`: what was told of others of the batch before.
 */
export function writeVerdicts(letters: string, batch: readonly Told[], behind?: LoadVerdicts): LoadVerdicts {
    const before = behind === undefined ? [] : readVerdicts(behind);
    const seqs = [...before.map(({ seq = -1 }) => seq), ...batch.map(({ origin }) => origin.seq)];
    return written(before.map(({ letter }) => letter).join('') + letters, seqs);
}

function written(letters: string, seqs: readonly number[]): LoadVerdicts {
    const ranges: Array<[number, number]> = [];
    for (const seq of seqs) {
        const last = ranges[ranges.length - 1];
        if (last && last[1] + 1 === seq) last[1] = seq;
        else ranges.push([seq, seq]);
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

/** The letters alone, in their stored order. */
export function lettersIn(verdicts: LoadVerdicts): string {
    return verdicts.split(' ', 1)[0]!;
}

/**
 * What is told of a batch that becomes known in parts. Each record of it has its place from the beginning, so that of several with one
 * number it is known which of them were told of when they come again.
 */
export class GrowingVerdicts {
    private readonly letters: string[];
    private readonly seqs: number[];
    /** How many records the batch has. */
    private readonly count: number;
    /** Where each record of the batch stands in it; undefined where that is its own place. */
    private readonly places: readonly number[] | undefined;

    /** `stored`: what was told before, perhaps of records that do not come any more. */
    constructor(batch: Batch, stored: LoadVerdicts | undefined) {
        this.count = batch.length;
        if (stored === undefined) {
            this.letters = batch.map(() => UNKNOWN);
            this.seqs = batch.map(({ origin }) => origin.seq);
            return;
        }
        const told = readVerdicts(stored);
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

    /** As it is stored: all places, those that nothing is known of included. */
    get stored(): LoadVerdicts {
        return written(this.letters.join(''), this.seqs);
    }

    /** Of the records that something is known of. */
    get known(): LoadVerdicts {
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
