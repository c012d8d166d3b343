import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { vendureDashboardPlugin } from '@vendure/dashboard/vite';
import { defineConfig } from 'vite';

const here = path.dirname(fileURLToPath(import.meta.url));

export default defineConfig({
    base: '/dashboard',
    build: { outDir: path.join(here, '../.flow-demo/dashboard.new'), emptyOutDir: true },
    plugins: [
        vendureDashboardPlugin({
            vendureConfigPath: pathToFileURL(path.join(here, 'config.ts')),
            vendureConfigExport: 'config',
            api: { host: 'auto', port: 'auto' },
            gqlOutputPath: path.join(here, '../.flow-demo/gql'),
        }),
    ],
});
