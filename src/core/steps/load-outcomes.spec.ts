import type { Batch } from '../data/record';
import { GrowingOutcomes, outcomeLettersOf, readOutcomes, writeOutcomes } from './load-outcomes';

const batchOf = (...seqs: readonly number[]): Batch => seqs.map(seq => ({ data: {}, origin: { seq } }));

describe('what a load reports of its records', () => {
    it.each([
        ['CCC', [5, 6, 7], 'CCC 5-7'],
        ['C=XU', [5, 7, 8, 12], 'C=XU 5,7-8,12'],
        ['CUD', [3, 3, 4], 'CUD 3,3-4'],
        ['CC', [9, 2], 'CC 9,2'],
        ['X', [0], 'X 0'],
    ])('%s of the records %j is %s, and is found again', (letters, seqs, told) => {
        const batch = batchOf(...seqs);
        expect(writeOutcomes(letters, batch)).toBe(told);
        expect(readOutcomes(told)).toEqual(seqs.map((seq, i) => ({ letter: letters[i], seq })));
        expect(outcomeLettersOf(batch, readOutcomes(told)).join('')).toBe(letters);
    });

    it('is found by the number of a record if others precede it or are missing', () => {
        const told = readOutcomes('CXU 5-7');
        expect(outcomeLettersOf(batchOf(4, 5, 6, 7, 8), told)).toEqual([undefined, 'C', 'X', 'U', undefined]);
        expect(outcomeLettersOf(batchOf(7, 6), told)).toEqual(['U', 'X']);
        expect(outcomeLettersOf(batchOf(6, 6), told)).toEqual(['X', undefined]);
    });

    it('is found by the index in the batch if an earlier version has stored only the letters', () => {
        expect(outcomeLettersOf(batchOf(5, 6, 7), readOutcomes('CX'))).toEqual(['C', 'X', undefined]);
    });
});

describe('the outcomes of a batch in parts', () => {
    it('keeps the places of records that nothing is known of yet', () => {
        const outcomes = new GrowingOutcomes(batchOf(3, 4, 4, 5), undefined);
        outcomes.tell(2, 'U');
        outcomes.tell(3, 'X');
        expect([outcomes.stored, outcomes.known]).toEqual(['??UX 3-4,4-5', 'UX 4-5']);
        expect(outcomes.isComplete).toBe(false);

        const again = new GrowingOutcomes(batchOf(3, 4, 4, 5), outcomes.stored);
        expect([0, 1, 2, 3].map(i => again.isKnown(i))).toEqual([false, false, true, true]);
    });

    it('finds records by their numbers if the batch is repeated with others', () => {
        const again = new GrowingOutcomes(batchOf(5, 6, 4), '?U? 3-5');
        expect([0, 1, 2].map(i => again.isKnown(i))).toEqual([false, false, true]);
        again.tell(0, 'U');
        again.tell(1, 'X');
        expect([again.stored, again.known]).toEqual(['?UUX 3-6', 'UUX 4-6']);
    });
});
