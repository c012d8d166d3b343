import type { Batch, FlowRecord } from '../data/record';
import type { JsonObject, JsonValue } from '../value/json';

/**
 * Shows hooks the step's default for a field that a record does not have. After the hooks, the default is removed again, so that later steps do not
 * read it as a value of the record.
 */
export async function withDefaults(
    batch: Batch,
    defaults: JsonObject = {},
    change: (filled: Batch) => Promise<Batch>,
): Promise<Batch> {
    const [field] = Object.entries(defaults);
    if (!field) return change(batch);
    const [name, value] = field;
    const filled = batch.map(record => (name in record.data ? record : withField(record, name, value)));
    const changed = await change(filled);
    // A record that a hook made of several has a separate origin.
    const saidSo = new Set(batch.filter(({ data }) => name in data).map(({ origin }) => origin));
    const places = new Map(filled.map((record, place) => [record, place]));
    return changed.map(record => {
        const place = places.get(record);
        if (place !== undefined) return batch[place]!;
        return record.data[name] !== value || saidSo.has(record.origin) ? record : withoutField(record, name);
    });
}

function withField(record: FlowRecord, name: string, value: JsonValue): FlowRecord {
    return { ...record, data: { ...record.data, [name]: value } };
}

function withoutField(record: FlowRecord, name: string): FlowRecord {
    const { [name]: _, ...data } = record.data;
    return { ...record, data };
}
