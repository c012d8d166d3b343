import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { flowError } from '../../core/errors/flow-error';

/** The paper of a PDF. */
export interface PdfPaper {
    readonly pageSize: 'A4' | 'LETTER' | 'A3';
    readonly orientation: 'PORTRAIT' | 'LANDSCAPE';
}

/** A PDF, or why there is none, as the end of a sentence about the text. */
type PdfResult = { readonly pdf: Buffer } | { readonly problem: string };

/** As much text as one document may have: about 35 pages. */
export const MAX_PDF_CHARACTERS = 100_000;

const MAX_MS = 30_000;
const IDLE_MS = 30_000;
const MAX_HEAP_MB = 256;

interface Order {
    readonly text: string;
    readonly size: string;
    readonly layout: string;
}

type Rendered = { readonly bytes: Uint8Array } | { readonly lacks: string };

/** The thread that lays documents out, one after another. It is started by the first one, and ends when there is none for a while. */
class PdfThread {
    private worker: Worker | undefined;
    private last: Promise<unknown> = Promise.resolve();
    private idle: NodeJS.Timeout | undefined;

    render(querySort: Order): Promise<PdfResult> {
        const mine = this.last.then(() => this.renderNow(querySort));
        this.last = mine.catch(() => undefined); // The caller that waits for that document gets the error.
        return mine;
    }

    private async renderNow(querySort: Order): Promise<PdfResult> {
        clearTimeout(this.idle);
        const worker = (this.worker ??= this.start());
        worker.ref();
        try {
            const answer = await answerOf(worker, querySort);
            if (answer !== undefined)
                return 'lacks' in answer ? { problem: lacking(answer.lacks) } : { pdf: Buffer.from(answer.bytes) };
            this.end();
            return { problem: `took longer than ${MAX_MS / 1000} s to lay out` };
        } catch (error) {
            this.end();
            if ((error as { readonly code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY')
                return { problem: `needs more than ${MAX_HEAP_MB} MB to lay out` };
            const problem = error instanceof Error ? error.message : String(error);
            throw flowError('BUG', { problem: `the PDF thread broke: ${problem}` }, { cause: error });
        } finally {
            this.worker?.unref();
            this.idle = setTimeout(() => this.end(), IDLE_MS).unref();
        }
    }

    private start(): Worker {
        // Does not inherit the options of the process: it would load their modules again. The thread needs only plain
        // JavaScript.
        const worker = new Worker(join(__dirname, 'pdf-worker.cjs'), {
            env: {},
            execArgv: [],
            resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
        });
        // A worker that ends by itself is not used again; a pending caller gets the error in answerOf.
        const forget = (): void => {
            if (this.worker === worker) this.worker = undefined;
        };
        return worker.on('error', forget).on('exit', forget);
    }

    private end(): void {
        void this.worker?.terminate();
        this.worker = undefined;
    }
}

/** Undefined when the thread does not answer in time. */
function answerOf(worker: Worker, querySort: Order): Promise<Rendered | undefined> {
    return new Promise((resolve, reject) => {
        const done = (settle: () => void) => (): void => {
            clearTimeout(timer);
            for (const [event, listener] of Object.entries(listeners)) worker.off(event, listener);
            settle();
        };
        const listeners = {
            message: (answer: Rendered) => done(() => resolve(answer))(),
            error: (error: Error) => done(() => reject(error))(),
            exit: (code: number) => done(() => reject(new Error(`it ended with exit code ${code}`)))(),
        };
        const timer = setTimeout(
            done(() => resolve(undefined)),
            MAX_MS,
        );
        for (const [event, listener] of Object.entries(listeners)) worker.on(event, listener);
        worker.postMessage(querySort);
    });
}

function lacking(character: string): string {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    return `has the character "${character}" (U+${code}), which cannot be shown; allowed: Latin, Greek, Cyrillic, Armenian and Georgian letters and common signs`;
}

const thread = new PdfThread();

/** Lays plain text out, of which each line feed begins a line. The same text gives the same bytes in every run. */
export async function renderPdf(text: string, { pageSize, orientation }: PdfPaper): Promise<PdfResult> {
    if (text.length > MAX_PDF_CHARACTERS)
        return { problem: `has ${text.length} characters; at most ${MAX_PDF_CHARACTERS} are allowed` };
    return thread.render({ text: showable(text), size: pageSize, layout: orientation.toLowerCase() });
}

/**
 * The form of text that fonts support: accents as one character with their letter, ordinary spaces only, no
 * characters without width.
 */
function showable(text: string): string {
    return text
        .normalize('NFC')
        .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
        .replace(/\t/g, '    ')
        .replace(/\p{Zs}/gu, ' ')
        .replace(
            /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]|\p{Variation_Selector}/gu,
            '',
        );
}
