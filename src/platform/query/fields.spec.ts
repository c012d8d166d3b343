import type { CustomFieldConfig, Permission } from '@vendure/core';
import { DataSource, EntitySchema } from 'typeorm';
import { queryFieldsOf } from './fields';

const customer = new EntitySchema<object>({
    name: 'Customer',
    columns: {
        id: { type: 'integer', primary: true, generated: true },
        emailAddress: { type: 'varchar' },
        passwordHash: { type: 'varchar' },
        verificationToken: { type: 'varchar' },
    } as never,
    embeddeds: {
        customFields: {
            schema: new EntitySchema<object>({
                name: 'CustomCustomerFields',
                columns: {
                    size: { type: 'varchar' },
                    score: { type: 'integer' },
                    limit: { type: 'integer' },
                    ofAnotherPlugin: { type: 'varchar' },
                } as never,
            }),
            prefix: 'customFields',
        },
    } as never,
});
const customFields = [
    { name: 'size', type: 'string' },
    { name: 'score', type: 'int', internal: true },
    { name: 'limit', type: 'int', requiresPermission: ['UpdateCustomer', 'ReadSettings'] },
] as unknown as readonly CustomFieldConfig[];

describe('the fields that a query reads', () => {
    let dataSource: DataSource;
    beforeAll(async () => {
        dataSource = await new DataSource({
            type: 'better-sqlite3',
            database: ':memory:',
            entities: [customer],
        }).initialize();
    });
    afterAll(() => dataSource.destroy());

    const namesFor = (...held: readonly string[]): readonly string[] => {
        const ctx = { userHasPermissions: (desired: Permission[]) => desired.some(one => held.includes(one)) };
        const fields = queryFieldsOf(dataSource.getMetadata(customer), {}, { dataSource, ctx, customFields });
        return fields.map(({ name }) => name);
    };

    it('do not include internal fields, secrets, or fields that the user may not read', () => {
        expect(namesFor()).toEqual(['id', 'emailAddress', 'customFields.size']);
        expect(namesFor('ReadSettings')).toEqual(['id', 'emailAddress', 'customFields.size', 'customFields.limit']);
    });
});
