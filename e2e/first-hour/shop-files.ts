/** A shop in the layout of `@vendure/create`, without the plugins that this repository does not have. */
export interface ShopPlace {
    readonly port: number;
    readonly database: URL;
}

const config = `import { DefaultJobQueuePlugin, DefaultSearchPlugin, dummyPaymentHandler, VendureConfig } from '@vendure/core';
import 'dotenv/config';
import path from 'path';

export const config: VendureConfig = {
    apiOptions: {
        hostname: '127.0.0.1',
        port: Number(process.env.PORT),
        adminApiPath: 'admin-api',
        shopApiPath: 'shop-api',
        trustProxy: false,
    },
    authOptions: {
        tokenMethod: ['bearer', 'cookie'],
        superadminCredentials: {
            identifier: process.env.SUPERADMIN_USERNAME!,
            password: process.env.SUPERADMIN_PASSWORD!,
        },
        cookieOptions: { secret: process.env.COOKIE_SECRET },
    },
    dbConnectionOptions: {
        type: 'postgres',
        synchronize: false,
        migrations: [path.join(__dirname, './migrations/*.+(js|ts)')],
        logging: false,
        database: process.env.DB_NAME,
        host: process.env.DB_HOST,
        port: Number(process.env.DB_PORT),
        username: process.env.DB_USERNAME,
        password: process.env.DB_PASSWORD,
    },
    paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
    customFields: {},
    plugins: [
        DefaultJobQueuePlugin.init({}),
        DefaultSearchPlugin.init({ bufferUpdates: false, indexStockStatus: true }),
    ],
};
`;

const index = `import { bootstrap, runMigrations } from '@vendure/core';
import { config } from './vendure-config';

runMigrations(config)
    .then(() => bootstrap(config))
    .catch(err => console.log(err));
`;

const worker = `import { bootstrapWorker } from '@vendure/core';
import { config } from './vendure-config';

bootstrapWorker(config)
    .then(worker => worker.startJobQueue())
    .catch(err => console.log(err));
`;

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

/** The files of the shop by their paths. */
export function shopFiles({ port, database }: ShopPlace): Readonly<Record<string, string>> {
    const run = (file: string): string => `node -r @swc-node/register ./src/${file}.ts`;
    return {
        'package.json': json({
            name: 'first-hour',
            private: true,
            scripts: { 'dev:server': run('index'), 'dev:worker': run('index-worker') },
        }),
        'tsconfig.json': json({
            compilerOptions: {
                module: 'nodenext',
                moduleResolution: 'nodenext',
                esModuleInterop: true,
                emitDecoratorMetadata: true,
                experimentalDecorators: true,
                strictPropertyInitialization: false,
                target: 'es2019',
                strict: true,
                skipLibCheck: true,
                outDir: './dist',
                types: ['node'],
            },
            include: ['src/**/*.ts'],
        }),
        '.env': [
            'APP_ENV=dev',
            `PORT=${port}`,
            'COOKIE_SECRET=first-hour',
            'SUPERADMIN_USERNAME=superadmin',
            'SUPERADMIN_PASSWORD=superadmin',
            `DB_HOST=${database.hostname}`,
            `DB_PORT=${database.port || 5432}`,
            `DB_NAME=${database.pathname.slice(1)}`,
            `DB_USERNAME=${decodeURIComponent(database.username)}`,
            `DB_PASSWORD=${decodeURIComponent(database.password)}`,
            '',
        ].join('\n'),
        'src/vendure-config.ts': config,
        'src/index.ts': index,
        'src/index-worker.ts': worker,
        'src/migrations/.gitkeep': '',
    };
}
