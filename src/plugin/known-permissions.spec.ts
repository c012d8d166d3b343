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

describe('the permissions that a pipeline asks for', () => {
    it("are those that a role of the shop can hold, other plugins' included", () => {
        expect(
            unknownPermissions(requiring('UpdateCatalog', 'SuperAdmin', 'DeleteSupplier', 'SyncSuppliers'), known),
        ).toEqual([]);
    });

    it.each([
        ['UpdateCatalgo', 'Did you mean "UpdateCatalog"'],
        ['syncSuppliers', said('did-you-mean', { guess: 'SyncSuppliers' })],
        ['Quux', 'Allowed: the permissions that a role of the shop can have.'],
        ['Owner', 'which is no permission'],
        ['Public', 'which is no permission'],
        ['Inner', 'which is no permission'],
    ])('cannot be %s', (permission, text) => {
        const [issue, ...others] = unknownPermissions(requiring('ReadCatalog', permission), known);
        expect(others).toEqual([]);
        expect(issue).toMatchObject({ code: 'PERMISSION_UNKNOWN', path: 'capabilities.requires[1]' });
        expect(issue?.message).toContain(`capabilities.requires[1] is "${permission}"`);
        expect(issue?.message).toContain(text);
    });

    it.each<[string, unknown]>([
        ['none at all', undefined],
        ['something else than an object', ['Nope']],
        ['a list that is none', { requires: 'Nope' }],
        ['what is no text', { requires: [7, null, { Nope: 1 }] }],
    ])('are looked for in no definition with %s', (_, capabilities) => {
        expect(unknownPermissions({ capabilities }, known)).toEqual([]);
    });
});
