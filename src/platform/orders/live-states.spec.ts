import { defaultOrderProcess, type Order, type OrderService } from '@vendure/core';
import { Columns } from '../entities/columns';
import { RecordIssues } from '../entities/record-issues';
import type { LiveRecord } from './live-record';
import { predictedState, hasReached } from './live-states';

const process = defaultOrderProcess.transitions as Record<string, { readonly to: readonly string[] }>;
const orders = {
    getNextOrderStates: ({ state }: Order) => process[state]?.to ?? [],
    getOrderProcessStates: () => Object.entries(process).map(([name, { to }]) => ({ name, to })),
} as unknown as OrderService;

describe('the state that a record wants', () => {
    it.each([
        ['PaymentSettled', 'PaymentSettled', true],
        ['Shipped', 'PaymentSettled', true],
        ['Cancelled', 'ArrangingPayment', true],
        ['Modifying', 'PaymentSettled', true],
        // By way of Modifying everything leads everywhere.
        ['PaymentSettled', 'Shipped', false],
        ['Draft', 'ArrangingPayment', false],
        ['PaymentSettled', 'Cancelled', false],
    ])('is come by in %s where it is %s: %s', (state, desired, isReached) => {
        expect(hasReached(orders, state, desired)).toBe(isReached);
    });

    const predicted = (said: Partial<LiveRecord>, state: string): string | undefined => {
        const issues = new RecordIssues();
        const before = new Columns({ state, isPlaced: state === 'PaymentSettled' });
        const found = predictedState(
            { said: said as LiveRecord, faults: issues },
            { orders, before, stateField: 'state' },
        );
        return issues.count > 0 ? issues.error().code : found;
    };
    const payments = [{ path: 'payments.0', method: 'cash', amount: 100, transactionId: '', metadata: {} }];

    it.each([
        [{}, 'Draft', 'Draft'],
        [{ payments }, 'Draft', 'PaymentSettled'],
        [{ payments, state: 'ArrangingPayment' }, 'Draft', 'PaymentSettled'],
        [{ payments }, 'PaymentSettled', 'PaymentSettled'],
        [{ state: 'ArrangingPayment' }, 'Draft', 'ArrangingPayment'],
        [{ state: 'Shipped' }, 'PaymentSettled', 'Shipped'],
    ])('of %j is foretold of an order in %s: %s', (said, state, will) => {
        expect(predicted(said, state)).toBe(will);
    });

    it.each([
        [{ state: 'PaymentSettled' }, 'Draft'],
        [{ state: 'Sent' }, 'Draft'],
        [{ state: 'Cancelled' }, 'PaymentSettled'],
        [{ state: 'Modifying' }, 'PaymentSettled'],
    ])('of %j is rejected for an order in %s', (said, state) => {
        expect(predicted(said, state)).toBe('RECORD_INVALID');
    });
});
