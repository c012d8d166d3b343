import { asReplayed, NO_WORK, type Work, worked, type WorkStep } from './work';

const after = (...steps: readonly WorkStep[]): Work => steps.reduce(worked, NO_WORK);
const record = { id: '7', payload: { sku: 'A-1', price: '19,9O' } };

describe('correcting rejected records', () => {
    it('chooses a record by correcting it', () => {
        const work = after({ type: 'correct', id: '7', payload: { sku: 'A-1', price: '19,90' } });
        expect([...work.chosen]).toEqual(['7']);
        expect(asReplayed(work, record)).toEqual({ sku: 'A-1', price: '19,90' });
    });

    it('shows edits on the records that they are for, in the order in which they were made', () => {
        const edits: readonly WorkStep[] = [
            { type: 'edit', edit: { operation: 'REPLACE', path: 'price', find: 'O', with: '0' } },
            { type: 'edit', edit: { operation: 'SET', path: 'currency', value: 'EUR' } },
            { type: 'edit', edit: { operation: 'REMOVE', path: 'sku' } },
        ];
        expect(asReplayed(after(...edits), record)).toEqual(record.payload);
        const whole = after(...edits, { type: 'chooseWhole', isWhole: true });
        expect(asReplayed(whole, record)).toEqual({ price: '19,90', currency: 'EUR' });
        expect(asReplayed(worked(whole, { type: 'dropEdit', index: 2 }), record)).toMatchObject({ sku: 'A-1' });
        const other = after(...edits, { type: 'choose', ids: ['8'], isChosen: true });
        expect(asReplayed(other, record)).toEqual(record.payload);
    });

    it('takes the text to replace literally, not as a pattern', () => {
        const work = after(
            { type: 'chooseWhole', isWhole: true },
            { type: 'edit', edit: { operation: 'REPLACE', path: 'price', find: '9', with: '$&' } },
        );
        expect(asReplayed(work, record)).toEqual({ sku: 'A-1', price: '1$&,$&O' });
    });

    it('means single records again as soon as one of them is chosen', () => {
        const work = after({ type: 'chooseWhole', isWhole: true }, { type: 'choose', ids: ['7', '8'], isChosen: true });
        expect(work.isWhole).toBe(false);
        expect([...worked(work, { type: 'choose', ids: ['7'], isChosen: false }).chosen]).toEqual(['8']);
    });

    it('takes a correction back, and forgets all of it after a replay', () => {
        const work = after({ type: 'correct', id: '7', payload: {} }, { type: 'takeBack', id: '7' });
        expect(asReplayed(work, record)).toEqual(record.payload);
        expect(worked(work, { type: 'clear' })).toBe(NO_WORK);
    });
});
