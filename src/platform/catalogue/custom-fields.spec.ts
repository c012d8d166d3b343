import type { CustomFieldConfig, Injector, RequestContext } from '@vendure/core';
import { said } from '../../../test/kit/said';
import type { JsonValue } from '../../core/data/json';
import type { Table } from '../sql/table';
import { CustomFields } from './custom-fields';
import { Faults } from './faults';
import { FieldReader } from './read-field';

const table = { fromColumn: (_: string, value: unknown) => value } as unknown as Table;
const place = {
    base: table,
    translation: table,
    ctx: {} as RequestContext,
    injector: {} as Injector,
    isMySql: false,
};

function reading(config: CustomFieldConfig, value: JsonValue) {
    const faults = new Faults();
    const reader = new FieldReader({ customFields: { [config.name]: value } }, faults);
    const values = new CustomFields([config], place).read(reader, 'customFields', { localisedOnly: false });
    return { values, problem: faults.count > 0 ? faults.error().message : undefined };
}

describe('reading custom fields', () => {
    it.each<CustomFieldConfig>([
        { name: 'weight', type: 'int' },
        { name: 'weight', type: 'float' },
        { name: 'fragile', type: 'boolean' },
        { name: 'since', type: 'datetime' },
        { name: 'size', type: 'struct', fields: [] },
        { name: 'maker', type: 'relation', entity: class {} as never },
        { name: 'grade', type: 'string', options: [{ value: 'A' }] },
        { name: 'code', type: 'string', pattern: '^[A-Z]+$' },
        { name: 'tags', type: 'string', list: true },
        { name: 'weights', type: 'int', list: true },
    ])('says of an empty $name of type $type that it is to be left out', config => {
        for (const nothing of ['', '  '])
            expect(reading(config, nothing).problem).toContain(
                said('field-is-empty-leave-it-out', { field: `customFields.${config.name}` }),
            );
    });

    it('names what makes true and false of text', () => {
        const problemOf = (value: JsonValue) => reading({ name: 'fragile', type: 'boolean' }, value).problem;
        expect(problemOf('true')).toContain(
            said('is-text-in-the-place-of-true', { field: 'customFields.fragile', text: 'true' }),
        );
        expect(problemOf(true)).toBeUndefined();
    });

    it('takes any text for a field of free text', () => {
        for (const type of ['string', 'text', 'localeString', 'localeText'] as const)
            expect(reading({ name: 'note', type }, '  ')).toEqual({ values: { note: '  ' }, problem: undefined });
    });
});
