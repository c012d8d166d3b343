import { ErrorBudget } from './error-budget';

describe('ErrorBudget', () => {
    it('names the limit, and the number of rejected records', () => {
        const budget = new ErrorBudget({ maxErrors: 2 }, { recordsRead: 50, recordsRejected: 2 });
        budget.spend({ read: 5 });
        expect(() => budget.spend({ rejected: 1 })).toThrow(
            expect.objectContaining({
                code: 'ERROR_BUDGET_EXCEEDED',
                facts: { rejected: 3, read: 55, limit: 'maxErrors', allowed: 2 },
            }),
        );
    });

    it('does not count rejections of an earlier run', () => {
        const budget = new ErrorBudget({ maxErrors: 2 }, { recordsRead: 0, recordsRejected: 0 });
        budget.forgive(3);
        budget.spend({ rejected: 5 });
        expect(() => budget.spend({ rejected: 1 })).toThrow(expect.objectContaining({ code: 'ERROR_BUDGET_EXCEEDED' }));
    });

    it('bears everything when it has no limits', () => {
        const budget = new ErrorBudget({}, { recordsRead: 0, recordsRejected: 0 });
        expect(() => budget.spend({ read: 1_000, rejected: 1_000 })).not.toThrow();
    });

    it('allows a rate of nought none at all, from the hundredth record on', () => {
        const budget = new ErrorBudget({ maxErrorRate: 0 }, { recordsRead: 0, recordsRejected: 0 });
        budget.spend({ read: 99, rejected: 1 });
        expect(() => budget.spend({ read: 1 })).toThrow('1 of 100');
    });
});
