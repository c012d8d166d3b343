import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PermissionDefinition, PluginCommonModule, VendurePlugin } from '@vendure/core';
import { FlowPlugin, pipeline } from '../src';
import { flowServer } from './config/flow-server';

/** Configured after Flow, so Flow cannot know its permission any sooner than when the application starts. */
@VendurePlugin({
    imports: [PluginCommonModule],
    configuration: config => {
        config.authOptions.customPermissions.push(new PermissionDefinition({ name: 'SyncSuppliers' }));
        return config;
    },
})
class SupplierPlugin {}

const requiring = (code: string, ...requires: string[]) =>
    pipeline(code)
        .capabilities({ requires })
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'generator', count: 1, template: {} })
        .build();

describe('a start', () => {
    it('is refused when a code-first pipeline asks for a permission that no plugin of the shop has', async () => {
        const pipelines = [requiring('good', 'UpdateCatalog', 'SyncSuppliers'), requiring('typo', 'UpdateCatalgo')];
        // The test server tells the error on the console, and leaves an application that did not come up to whoever can close it.
        const told = jest.spyOn(console, 'log').mockReturnValue(undefined);
        const created = jest.spyOn(NestFactory, 'create');
        const start = flowServer('sqlite', SupplierPlugin, { plugins: [FlowPlugin.init({ pipelines })] });
        const error = await start.then(
            () => undefined,
            (refusal: Error) => refusal,
        );
        told.mockRestore();
        for (const { value } of created.mock.results) await ((await value) as INestApplication).close();
        created.mockRestore();
        expect(error).toMatchObject({ code: 'DEFINITION_INVALID' });
        expect(error?.message).toContain(
            'pipeline "typo":\n  - capabilities.requires[0] is "UpdateCatalgo", which is no permission. Did you mean "UpdateCatalog"',
        );
        expect(error?.message).toContain('(PERMISSION_UNKNOWN)');
        expect(error?.message).not.toContain('SyncSuppliers');
    });
});
