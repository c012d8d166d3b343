import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { vendureDashboardPlugin } from '@vendure/dashboard/vite';
import { defineConfig } from 'vite';

const here = path.dirname(fileURLToPath(import.meta.url));
const outDir = process.env['FLOW_DASHBOARD'] ?? path.join(here, '../.flow-demo/dashboard');

export default defineConfig({
    base: '/dashboard',
    build: { outDir, emptyOutDir: true, reportCompressedSize: false },
    plugins: [
        vendureDashboardPlugin({
            vendureConfigPath: pathToFileURL(path.join(here, 'config.ts')),
            vendureConfigExport: 'config',
            api: { host: 'auto', port: 'auto' },
            tempCompilationDir: `${outDir}.sources`,
        }),
    ],
});
