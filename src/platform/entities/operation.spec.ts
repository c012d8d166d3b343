import type { JsonObject, JsonValue } from '../../core/value/json';
import { deleteReader } from '../deletes/read-delete';
import { RecordIssues } from './record-issues';
import { readsDelete, rejectDelete, rejectOtherOperations } from './operation';
import { FieldReader } from './read-field';

const DELETING = { isAllowed: true, permission: 'DeleteProduct' };

/** What is wrong with a record after something has been read from it: the paths. */
function faultsOf(__operation: JsonValue, read: (reader: FieldReader) => unknown): number {
    const issues = new RecordIssues();
    read(new FieldReader({ __operation }, issues));
    return issues.count;
}

describe('the operation of a record that is loaded', () => {
    it.each(['DELETE', 'delete', 'Delete'])('is a delete for %j, wherever it is read', given => {
        const data: JsonObject = { __operation: given };
        expect(readsDelete(new FieldReader(data, new RecordIssues()), DELETING)).toBe(true);
        expect(faultsOf(given, reader => deleteReader(reader.data, reader.faults))).toBe(0);
        expect(faultsOf(given, reader => rejectDelete(reader, 'a price'))).toBe(1);
        expect(faultsOf(given, reader => rejectOtherOperations(reader))).toBe(1);
    });

    it.each(['UPSERT', 'upsert', 'Create', 'update'])('is not a delete for %j', given => {
        expect(readsDelete(new FieldReader({ __operation: given }, new RecordIssues()), DELETING)).toBe(false);
        expect(faultsOf(given, reader => readsDelete(reader, DELETING))).toBe(0);
        expect(faultsOf(given, reader => rejectDelete(reader, 'a price'))).toBe(0);
        expect(faultsOf(given, reader => rejectOtherOperations(reader))).toBe(0);
        expect(faultsOf(given, reader => deleteReader(reader.data, reader.faults))).toBe(1);
    });

    it('is an error for any other value', () => {
        for (const read of [(reader: FieldReader) => readsDelete(reader, DELETING), rejectOtherOperations])
            expect(faultsOf('merge', read)).toBe(1);
    });
});
