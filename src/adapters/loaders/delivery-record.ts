import type { Change } from '../../core/adapter/loader';
import { requestedOperation, identityText, OPERATION_FIELD } from '../../core/adapter/record-operation';
import type { SinkOperation } from '../../core/adapter/sink';
import { compilePath, type Path } from '../../core/data/path';
import { recordInvalid } from '../../core/errors/record-invalid';
import type { JsonObject } from '../../core/value/json';
import type { DeliveryArgs } from './delivery-fields';

/** Why a record with another operation is not sent: the step would do something that the record does not request. */
const OTHERWISE: Readonly<Record<SinkOperation, string>> = {
    UPSERT: 'is "DELETE", but this step deletes nothing in the other system; a ROUTE step sends such records to one that does',
    DELETE: 'is an upsert, but this step deletes in the other system; use a ROUTE step to send such records elsewhere',
};

/** What a step makes of its records, whatever its transport. */
export class DeliveredRecords {
    private readonly id: Path;

    constructor(
        private readonly does: SinkOperation,
        private readonly args: Pick<DeliveryArgs, 'idField' | 'strategy'>,
    ) {
        this.id = compilePath(args.idField ?? 'id');
    }

    /** The record without its operation. Throws RECORD_INVALID if the step does not execute that operation. */
    dataOf(data: JsonObject): JsonObject {
        const requested = requestedOperation(data);
        if ((requested.operation ?? this.does) === this.does) return requested.data;
        throw recordInvalid(OPERATION_FIELD, OTHERWISE[this.does]);
    }

    identityOf(data: JsonObject): string | undefined {
        return identityText(this.id.get(data));
    }

    /** How the change is counted, and shown in a dry run. */
    changeOf(data: JsonObject, sent: JsonObject): Change {
        const key = this.identityOf(data) ?? '';
        if (this.does === 'DELETE') return { action: 'delete', key, before: {} };
        return this.args.strategy === 'CREATE'
            ? { action: 'create', key, after: sent }
            : { action: 'update', key, before: {}, after: sent };
    }
}
