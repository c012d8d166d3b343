import { CrudPermissionDefinition, PermissionDefinition } from '@vendure/core';
import { sketched } from '../../test/kit/pipeline';
import { said } from '../../test/kit/said';
import { knownPermissions, unknownPermissions } from './known-permissions';

const known = knownPermissions({
    authOptions: {
        customPermissions: [
            new CrudPermissionDefinition('Supplier'),
            new PermissionDefinition({ name: 'SyncSuppliers' }),
            new PermissionDefinition({ name: 'Inner', assignable: false }),
        ],
    },
});
const requiring = (...requires: string[]) => ({ ...sketched({ steps: {}, edges: [] }), capabilities: { requires } });

describe('the permissions that a pipeline requires', () => {
    it("are those that a role of the shop can hold, other plugins' included", () => {
        expect(
            unknownPermissions(requiring('UpdateCatalog', 'SuperAdmin', 'DeleteSupplier', 'SyncSuppliers'), known),
        ).toEqual([]);
    });

    it.each([
        ['UpdateCatalgo', said('did-you-mean', { guess: 'UpdateCatalog' })],
        ['syncSuppliers', said('did-you-mean', { guess: 'SyncSuppliers' })],
        ['Quux', 'Allowed: the permissions that a role of the shop can have.'],
        ['Owner', 'which is not a permission'],
        ['Public', 'which is not a permission'],
        ['Inner', 'which is not a permission'],
    ])('cannot be %s', (permission, text) => {
        const [issue, ...others] = unknownPermissions(requiring('ReadCatalog', permission), known);
        expect(others).toEqual([]);
        expect(issue).toMatchObject({ code: 'PERMISSION_UNKNOWN', path: 'capabilities.requires[1]' });
        expect(issue?.message).toContain(`capabilities.requires[1] is "${permission}"`);
        expect(issue?.message).toContain(text);
    });

    it.each<[string, unknown]>([
        ['none at all', undefined],
        ['a value that is not an object', ['Nope']],
        ['a value that is not a list', { requires: 'Nope' }],
        ['values that are not texts', { requires: [7, null, { Nope: 1 }] }],
    ])('are not checked in a definition with %s', (_, capabilities) => {
        expect(unknownPermissions({ capabilities }, known)).toEqual([]);
    });
});
