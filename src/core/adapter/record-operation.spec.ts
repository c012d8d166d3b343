import { requestedOperation, parseOperation } from './record-operation';

describe('the operation that a record requests', () => {
    it.each([
        ['delete', 'DELETE'],
        ['Delete', 'DELETE'],
        ['DELETE', 'DELETE'],
        ['upsert', 'UPSERT'],
        ['create', 'UPSERT'],
        ['Update', 'UPSERT'],
    ])('is read from %j in any case', (given, operation) => {
        expect(requestedOperation({ id: 1, __operation: given })).toEqual({ operation, data: { id: 1 } });
    });

    it.each(['merge', ' delete', '', 1, null, true, ['DELETE']])('is not read from %j', given => {
        expect(parseOperation(given)).toBeUndefined();
        expect(() => requestedOperation({ __operation: given as never })).toThrow(
            expect.objectContaining({
                code: 'RECORD_INVALID',
                details: expect.objectContaining({ path: '__operation' }),
            }),
        );
    });
});
