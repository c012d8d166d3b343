import { OPERATION_FIELD, parseOperation } from '../../core/adapter/record-operation';
import type { JsonObject } from '../../core/value/json';
import type { Table } from '../../database/table';
import type { Id } from '../../database/write';
import { idsAmong } from '../entities/entity-ids';
import type { RecordIssues } from '../entities/record-issues';
import { FieldReader } from '../entities/read-field';

/** How a step finds what its records delete. */
export interface DeleteNames {
    readonly byId: boolean;
    /** Field of the record that holds the key, or the id. */
    readonly key: string;
    /** Field that holds the facet of a facet value. */
    readonly facet: string;
}

/** A reader of a record whose operation is DELETE or missing. */
export function deleteReader(data: JsonObject, issues: RecordIssues): FieldReader {
    const reader = new FieldReader(data, issues);
    const operation = data[OPERATION_FIELD];
    if (operation !== undefined && operation !== null && parseOperation(operation) !== 'DELETE')
        reader.refuse(OPERATION_FIELD, 'allowed: DELETE, or nothing; this load deletes whatever its records name');
    return reader;
}

/** The id that a record names; undefined if it names none, which adds an error. */
export function readId(reader: FieldReader, field: string, table: Table): Id | undefined {
    const text = reader.key(field);
    if (text === undefined) {
        if (!reader.has(field)) reader.faults.add(reader.path(field), 'is missing; it is what is deleted by');
        return undefined;
    }
    const [id] = idsAmong([text], table);
    return id ?? reader.refuse(field, "allowed: an id, as the shop's database has them");
}
