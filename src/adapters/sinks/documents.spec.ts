import type { JsonObject } from '../../core/value/json';
import { withId } from './documents';

it("has its id in addition to all of the record's fields, and leaves the record unchanged", () => {
    const text = '{"sku":"TS-1","__proto__":{"name":"a field"},"objectID":7}';
    const data = JSON.parse(text) as JsonObject;
    expect(JSON.stringify(withId(data, 'objectID', '8'))).toBe(text.replace('7', '"8"'));
    expect(JSON.stringify(data)).toBe(text);
    expect(withId({ sku: 'TS-1' }, 'id', 'TS-1')).toEqual({ sku: 'TS-1', id: 'TS-1' });
    const same: JsonObject = { id: 'TS-1' };
    expect(withId(same, 'id', 'TS-1')).toBe(same);
});
