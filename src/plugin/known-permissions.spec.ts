import { CrudPermissionDefinition, PermissionDefinition } from '@vendure/core';
import { sketched } from '../../test/kit/pipeline';
import { said } from '../../test/kit/said';
import { checkPermissions } from './code-first';
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

    it('are refused for all code-first pipelines at once', () => {
        const pipelines = ['good', 'first', 'second'].map((code, i) => {
            const definition = requiring(i === 0 ? 'UpdateCatalog' : `Nope${i}`);
            return { source: { code, name: code, description: '', enabled: true, definition }, definition, digest: '' };
        });
        expect(() => checkPermissions(pipelines, known)).toThrow(
            expect.objectContaining({ code: 'DEFINITION_INVALID' }),
        );
        expect(() => checkPermissions(pipelines, known)).toThrow(
            /pipeline "first":\n {2}- .*\(PERMISSION_UNKNOWN\)\npipeline "second":\n {2}- .*\(PERMISSION_UNKNOWN\)/,
        );
        expect(() => checkPermissions(pipelines.slice(0, 1), known)).not.toThrow();
    });
});
