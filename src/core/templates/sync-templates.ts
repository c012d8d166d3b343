import { type BuiltinTemplate, csvTextOf, templatePipeline } from './pipeline-template';

const EVERY_NIGHT = { type: 'SCHEDULE', cron: '0 3 * * *' } as const;

const PRICES = [
    { sku: 'LA-1', price: '45.00', stock: '10' },
    { sku: 'LA-2', price: '119.90', stock: '5' },
];

/** Rejects stock levels that are not whole numbers, and names fields as `stockAdjust` expects them. */
const LEVEL_RULES = [
    { type: 'required', spec: { field: 'article' } },
    { type: 'type', spec: { field: 'available', type: 'integer' } },
];
const LEVELS = [{ op: 'map', args: { mapping: { sku: 'article', stock: 'available' } } }];
const LEVEL_RECORDS = [
    { article: 'LAMP-1', warehouse: 'Default Stock Location', available: 12 },
    { article: 'LAMP-2', warehouse: 'Default Stock Location', available: 'n/a' },
];

/** Files and messages of suppliers and warehouses, databases, and the APIs of other shops. */
export const syncTemplates: readonly BuiltinTemplate[] = [
    {
        code: 'prices-and-stock',
        group: 'SYNC',
        title: 'Prices and stock every night',
        description: 'Updates prices and stock of existing variants from a file, every night or manually.',
        guide: 'importing-products.md#prices-and-stock-only',
        sample: PRICES,
        definition: templatePipeline('prices-and-stock')
            .trigger('start', { type: 'MANUAL' })
            .trigger('every-night', EVERY_NIGHT)
            .extract('evening-file', { adapterCode: 'csv', csvText: csvTextOf(PRICES) })
            .transform('numbers', [
                { op: 'trim', args: { path: 'sku' } },
                { op: 'toCents', args: { source: 'price', target: 'price' } },
                { op: 'toNumber', args: { source: 'stock' } },
            ])
            .load('prices', { adapterCode: 'priceUpdate' })
            .load('levels', { adapterCode: 'stockAdjust' })
            .build().definition,
    },
    {
        code: 'nightly-stock',
        group: 'SYNC',
        title: 'Stock from an SFTP server every night',
        description: 'Reads all new stock files of a supplier at night, sets the levels and moves the files.',
        guide: 'remote-files.md#example-stock-from-an-sftp-server-every-night',
        notes: ['Set the folder, the file pattern and the time zone.'],
        sample: [
            { sku: 'LAMP-1', stock: '12' },
            { sku: 'LAMP-2', stock: '0' },
        ],
        definition: templatePipeline('nightly-stock')
            .trigger('nightly', { type: 'SCHEDULE', cron: '30 3 * * *', timezone: 'Europe/Vienna' })
            .extract('files', {
                adapterCode: 'ftp',
                connectionCode: 'supplier-sftp',
                remotePath: '/out',
                filePattern: 'stock-*.csv',
                csv: { delimiter: ';' },
                moveAfterProcess: { enabled: true, destinationPath: '/out/done' },
            })
            .transform('level', [{ op: 'toNumber', args: { source: 'stock' } }])
            .load('stock', { adapterCode: 'stockAdjust' })
            .build().definition,
    },
    {
        code: 'sftp-drop',
        group: 'SYNC',
        title: 'Stock from new files on an SFTP server',
        description: 'Starts a run for each new stock file of a supplier and moves the file when it is loaded.',
        guide: 'remote-files.md#example-a-suppliers-sftp-folder',
        notes: ['Set the folders and the file pattern.'],
        sample: [
            { article: 'LAMP-1', available: '12' },
            { article: 'LAMP-2', available: '0' },
        ],
        definition: templatePipeline('sftp-drop')
            .trigger('drop', {
                type: 'FILE',
                fileWatch: {
                    connectionCode: 'supplier-sftp',
                    path: '/in',
                    pattern: 'stock-*.csv',
                    recursive: false,
                    minFileAge: 120,
                },
            })
            .extract('read', {
                adapterCode: 'ftp',
                connectionCode: 'supplier-sftp',
                remotePath: '/in',
                csv: { delimiter: ';' },
                continueOnError: false,
                moveAfterProcess: { enabled: true, destinationPath: '/done' },
            })
            .transform('level', [...LEVELS, { op: 'toNumber', args: { source: 'stock' } }])
            .load('stock', { adapterCode: 'stockAdjust' })
            .build().definition,
    },
    {
        code: 'bucket-drop',
        group: 'SYNC',
        title: 'Products from new files in a bucket',
        description:
            'Loads each JSON file that is uploaded to a bucket (S3 and others) and moves it when it is loaded.',
        guide: 'remote-files.md#example-a-bucket',
        notes: ['Set the prefixes and the path of the records in the file.'],
        sample: [{ sku: 'LAMP-1', name: 'Desk lamp', slug: 'desk-lamp', price: 4900 }],
        definition: templatePipeline('bucket-drop')
            .trigger('drop', {
                type: 'FILE',
                fileWatch: {
                    connectionCode: 'supplier-feeds',
                    path: 'incoming/',
                    pattern: '*.json',
                    pollIntervalMs: 60_000,
                },
            })
            .extract('read', {
                adapterCode: 'objectStorage',
                connectionCode: 'supplier-feeds',
                prefix: 'incoming/',
                json: { path: 'products' },
                moveAfterProcess: { enabled: true, destinationPrefix: 'done/' },
            })
            .transform('check', [{ op: 'validateRequired', args: { fields: ['sku', 'name', 'price'] } }])
            .load('products', { adapterCode: 'productUpsert' })
            .build().definition,
    },
    {
        code: 'google-sheet',
        group: 'SYNC',
        title: 'Products from a published Google Sheet',
        description: 'Reads a sheet that is published as CSV every morning and creates or updates its products.',
        guide: 'http-apis.md#example-a-published-google-sheet',
        notes: [
            'In Google Sheets, choose File, Share, Publish to web, and the format CSV. Set the address in the step sheet.',
            'Everyone who knows the address can read a published sheet.',
        ],
        sample: [
            { SKU: 'LA-1', Name: 'Desk lamp', Price: '45.00', Stock: '10' },
            { SKU: 'LA-2', Name: 'Floor lamp', Price: '119.90', Stock: '5' },
        ],
        definition: templatePipeline('google-sheet')
            .trigger('start', { type: 'MANUAL' })
            .trigger('every-morning', { type: 'SCHEDULE', cron: '0 6 * * *' })
            .extract('sheet', {
                adapterCode: 'httpApi',
                url: 'https://docs.google.com/spreadsheets/d/e/YOUR-SHEET/pub?gid=0&single=true&output=csv',
                format: 'CSV',
            })
            .transform('to-product', [
                { op: 'map', args: { mapping: { sku: 'SKU', name: 'Name', price: 'Price', stock: 'Stock' } } },
                { op: 'validateRequired', args: { fields: ['sku', 'name', 'price'] } },
                { op: 'trim', args: { path: 'name' } },
                { op: 'toCents', args: { source: 'price', target: 'price' } },
                { op: 'toNumber', args: { source: 'stock' } },
                { op: 'slugify', args: { source: 'name', target: 'slug' } },
            ])
            .load('products', { adapterCode: 'productUpsert', matchBy: 'sku' })
            .build().definition,
    },
    {
        code: 'erp-articles',
        group: 'SYNC',
        title: "Articles from an ERP's database",
        description: 'Reads the articles that have changed since the last run from a database view, every night.',
        guide: 'databases.md#example-articles-from-an-erp',
        notes: ['Create the view shop_articles in the database, or enter your own query.'],
        sample: [
            {
                id: 1,
                changed_at: '2026-11-23T10:00:00.000Z',
                sku: 'A-1',
                name: 'Desk lamp',
                slug: 'a-1',
                description: 'Bright',
                price: '49.00',
                stock: 12,
            },
        ],
        definition: templatePipeline('erp-articles')
            .trigger('nightly', EVERY_NIGHT)
            .extract('articles', {
                adapterCode: 'database',
                connectionCode: 'erp',
                query: 'SELECT id, changed_at, sku, name, slug, description, price, stock FROM shop_articles',
                pagination: {
                    type: 'CURSOR',
                    pageSize: 1000,
                    cursorColumn: 'changed_at',
                    cursorTieBreakerColumn: 'id',
                },
                incremental: { enabled: true, column: 'changed_at' },
            })
            .transform('shape', [
                { op: 'validateRequired', args: { fields: ['sku', 'name', 'price'] } },
                { op: 'toCents', args: { source: 'price', target: 'price' } },
                { op: 'omit', args: { fields: ['id', 'changed_at'] } },
            ])
            .load('products', { adapterCode: 'productUpsert', matchBy: 'sku' })
            .build().definition,
    },
    {
        code: 'old-shop-products',
        group: 'SYNC',
        title: 'Changed products of another shop',
        description: "Follows the changes and deletions in the product table of another shop's MySQL database.",
        guide: 'databases.md#example-changed-products-of-a-mysql-shop',
        notes: ['Set the table and its columns. The table needs a column with the time of the last change.'],
        sample: [
            { sku: 'A-1', name: 'Desk lamp', slug: 'desk-lamp', price: '49.00', __operation: 'UPSERT' },
            { sku: 'A-2', name: 'Floor lamp', slug: 'floor-lamp', price: '129.00', __operation: 'DELETE' },
        ],
        definition: templatePipeline('old-shop-products')
            .trigger('often', { type: 'SCHEDULE', cron: '*/5 * * * *' })
            .extract('products', {
                adapterCode: 'cdc',
                connectionCode: 'old-shop',
                databaseType: 'MYSQL',
                table: 'product',
                trackingColumn: 'changed',
                trackingType: 'TIMESTAMP',
                primaryKey: 'id',
                columns: ['sku', 'name', 'slug', 'price'],
                batchSize: 10_000,
                includeDeletes: true,
                deleteColumn: 'deleted',
                lagSeconds: 60,
            })
            .transform('shape', [
                { op: 'validateRequired', args: { fields: ['sku', 'name', 'price'] } },
                { op: 'toCents', args: { source: 'price', target: 'price' } },
            ])
            .load('load', { adapterCode: 'productUpsert', matchBy: 'sku' })
            .build().definition,
    },
    {
        code: 'warehouse-stock',
        group: 'SYNC',
        title: 'Stock by webhook',
        description: 'Receives stock levels from a warehouse by signed webhook and sets them at once.',
        guide: 'webhooks.md#example-stock-levels',
        sample: LEVEL_RECORDS,
        definition: templatePipeline('warehouse-stock')
            .trigger('warehouse', {
                type: 'WEBHOOK',
                authentication: 'HMAC',
                secretCode: 'warehouse-hook',
                requireIdempotencyKey: true,
            })
            .validate('check', { rules: LEVEL_RULES })
            .transform('level', LEVELS)
            .load('stock', { adapterCode: 'stockAdjust' })
            .build().definition,
    },
    {
        code: 'warehouse-messages',
        group: 'SYNC',
        title: 'Stock from RabbitMQ',
        description: 'Takes stock levels from a queue in batches and sets them.',
        guide: 'messages.md#example-stock-from-rabbitmq',
        notes: ['Install the package amqplib on the server.', 'Create the queues stock and stock.dead in the broker.'],
        sample: LEVEL_RECORDS,
        definition: templatePipeline('warehouse-messages')
            .trigger('warehouse', {
                type: 'MESSAGE',
                message: {
                    queueType: 'RABBITMQ',
                    connectionCode: 'warehouse-queue',
                    queueName: 'stock',
                    deadLetterQueue: 'stock.dead',
                    batchSize: 50,
                },
            })
            .validate('check', { rules: LEVEL_RULES })
            .transform('level', LEVELS)
            .load('stock', { adapterCode: 'stockAdjust' })
            .build().definition,
    },
];
