import sharp from 'sharp';
import type { AdapterContext } from '../src/core/adapter/context';
import type { BatchOperator, OperatorContext } from '../src/core/adapter/operator';
import { systemClock } from '../src/core/concurrency/clock';
import type { JsonObject } from '../src/core/value/json';
import { imageConvert } from '../src/adapters/operators/image-convert';
import { imageResize } from '../src/adapters/operators/image-resize';
import { pdfGenerate } from '../src/adapters/operators/pdf-generate';
import type { Row } from './report';

const USUAL_RECORDS = 20;
const WIDTH = 1600;
const HEIGHT = 1200;

/** A picture with the detail of a photograph: soft shapes without noise. */
async function photo(): Promise<string> {
    const specks = await sharp({
        create: {
            width: WIDTH / 20,
            height: HEIGHT / 20,
            channels: 3,
            background: 'grey',
            noise: { type: 'gaussian', mean: 128, sigma: 60 },
        },
    })
        .png()
        .toBuffer();
    return (await sharp(specks).resize(WIDTH, HEIGHT, { kernel: 'cubic' }).jpeg({ quality: 90 }).toBuffer()).toString(
        'base64',
    );
}

const LETTER = '<h1>Order ${no}</h1><p>Dear ${name},</p><p>thank you for your order. ${text}</p>';

function contextValue(): OperatorContext {
    const nothing = (): void => undefined;
    const context: Partial<OperatorContext> = {
        stepKey: 'bench',
        mode: 'live',
        signal: new AbortController().signal,
        log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
        clock: systemClock,
        derive: (data, [from]) => ({ data, origin: from!.origin }),
        reject: (_, error) => {
            throw error;
        },
        turn: () => new Promise(setImmediate),
    };
    return context as OperatorContext;
}

/** Records per second, and the longest time for which the event loop was blocked. */
async function measured(
    bench: string,
    call: { readonly operator: BatchOperator; readonly args: JsonObject },
    records: readonly JsonObject[],
): Promise<Row> {
    const { operator, args } = call;
    const cx = contextValue();
    const fn = await operator.open(operator.config.parse(args), cx as AdapterContext);
    const batch = records.map((data, seq) => ({ data, origin: { seq } }));
    await fn(batch.slice(0, 1), cx);
    let longest = 0;
    let last = performance.now();
    const ticking = setInterval(() => {
        const now = performance.now();
        longest = Math.max(longest, now - last);
        last = now;
    }, 1);
    const start = performance.now();
    const out = await fn(batch, cx);
    const ms = performance.now() - start;
    clearInterval(ticking);
    if (out.length !== records.length) throw new Error('Records were lost.');
    return {
        bench: `${bench} (longest block ${longest.toFixed(0)} ms)`,
        database: '–',
        records: records.length,
        recordsPerSecond: records.length / (ms / 1000),
        statementsPerRecord: null,
        peakRssMb: process.memoryUsage.rss() / 1024 / 1024,
        ratioToRaw: null,
        ratioToVendure: null,
    };
}

/** Images and PDFs: the cost of one record after warm-up. */
export async function benchMedia(count = USUAL_RECORDS): Promise<readonly Row[]> {
    const image = await photo();
    const images = Array.from({ length: count }, () => ({ image }));
    const letters = (name: string): readonly JsonObject[] =>
        Array.from({ length: 10 * count }, (_, no) => ({
            no,
            name,
            text: 'It leaves our house today and is with you soon. '.repeat(20),
        }));
    const rows: Row[] = [
        await measured(
            'imageResize 1600x1200 to 400x400',
            { operator: imageResize, args: { sourceField: 'image', width: 400, height: 400 } },
            images,
        ),
    ];
    for (const format of ['jpeg', 'webp', 'png', 'gif', 'avif'])
        rows.push(
            await measured(
                `imageConvert 1600x1200 ${format}`,
                { operator: imageConvert, args: { sourceField: 'image', format } },
                images,
            ),
        );
    for (const name of ['Müller', 'Čapek'])
        rows.push(
            await measured(
                `pdfGenerate one page, ${name}`,
                { operator: pdfGenerate, args: { template: LETTER, targetField: 'pdf' } },
                letters(name),
            ),
        );
    const long = [{ no: 1, name: 'Müller', text: 'It leaves our house today. '.repeat(3600) }];
    return [
        ...rows,
        await measured(
            'pdfGenerate 97,000 characters',
            { operator: pdfGenerate, args: { template: LETTER, targetField: 'pdf' } },
            long,
        ),
    ];
}
