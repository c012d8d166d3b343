import { clause } from '../../core/errors/rendered';
import { z } from 'zod';
import { batchOperator } from '../../core/adapter/operator';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { compilePath, type Path } from '../../core/data/path';
import type { FlowRecord } from '../../core/data/record';
import { show } from '../../core/value/show';
import { compileTemplate, type Render, templateProblem } from '../../core/data/template';
import { type FlowError, isFlowError } from '../../core/errors/flow-error';
import { recordInvalid } from '../../core/errors/record-invalid';
import { linesOfHtml } from '../../core/operators/string/html';
import { path, template as templateText, withRules } from '../../core/schema/fields';
import { adviseDollars } from '../../core/adapter/placeholder-advice';
import { MAX_PDF_CHARACTERS, type PdfPaper, renderPdf } from '../../io/media/pdf';

/** Renders a template as a PDF. */
export const pdfGenerate = batchOperator({
    code: 'pdfGenerate',
    category: 'File',
    title: 'Make a PDF',
    summary: 'Fills in a template and renders it as a PDF of plain text, as base64.',
    config: withRules(
        z.strictObject({
            template: templateText(
                'Template',
                'Text with placeholders like ${customer.name}; a missing or null field is empty. Used for records without a template.',
            ).optional(),
            templateField: path('Template field', 'The field that holds the template of the record.').optional(),
            targetField: path('To', 'The field for the PDF.'),
            pageSize: z
                .enum(['A4', 'LETTER', 'A3'])
                .default('A4')
                .meta({ title: 'Page size', description: 'The paper.' }),
            orientation: z
                .enum(['PORTRAIT', 'LANDSCAPE'])
                .default('PORTRAIT')
                .meta({ title: 'Orientation', description: 'Upright or lying.' }),
        }),
        ({ template, templateField }, issue) => {
            if (template === undefined && templateField === undefined)
                issue('template', clause`is missing, and so is templateField; one of them is needed`);
        },
    ),
    notes: [
        'Placeholders are filled in first. Then paragraphs, headings, list items, table rows, <br> and similar tags begin a new line, all other tags are removed, and entities become characters. HTML and CSS layout is not supported. Line ends, empty lines and indentation of the text are kept.',
        'A record whose PDF cannot be created is kept without the target field, and the reason is listed in the record errors of the run with the severity WARNING. It does not count as rejected.',
        'Latin, Greek, Cyrillic, Armenian and Georgian letters and common signs are supported. Right-to-left text and Chinese, Japanese, Korean and Indian scripts are not.',
        `At most ${MAX_PDF_CHARACTERS.toLocaleString('en-US')} characters, after filling in.`,
        'The same text results in the same bytes in every run, because the PDF contains no date.',
    ],
    examples: [
        {
            args: {
                template: '<h1>Invoice ${no}</h1>\n<p>${customer.name}<br>${customer.city}</p>',
                targetField: 'pdf',
            },
            in: [{ no: 7, customer: { name: 'Čapek &amp; Co' } }],
            out: [{ no: 7, customer: { name: 'Čapek &amp; Co' }, pdf: 'JVBERi0xLjM…' }],
        },
        {
            args: {
                template: 'Dear customer',
                templateField: 'letter',
                targetField: 'files.letter',
                pageSize: 'LETTER',
                orientation: 'LANDSCAPE',
            },
            in: [{ letter: 'Dear ${name}', name: 'Ä' }, { name: 'Ö' }],
            out: [
                { letter: 'Dear ${name}', name: 'Ä', files: { letter: 'JVBERi0xLjM…' } },
                { name: 'Ö', files: { letter: 'JVBERi0xLjM…' } },
            ],
            note: 'The second record has no template.',
        },
        {
            args: { templateField: 'letter', targetField: 'pdf' },
            in: [{ letter: null, pdf: 'old' }, { letter: '${name' }, { letter: '${name}', name: '漢' }, {}],
            out: [{ letter: null }, { letter: '${name' }, { letter: '${name}', name: '漢' }, {}],
            note: 'None of them can be created: the records are kept without the field, each with a warning that gives the reason.',
        },
    ],
    advise: ({ template }) => adviseDollars('template', template),
    open({ template, templateField, targetField, ...paper }) {
        const pages = new Pages({
            paper,
            target: compilePath(targetField),
            fixed: template,
            own: templateField === undefined ? undefined : compilePath(templateField),
        });
        return async (batch, cx) => {
            const out: FlowRecord[] = [];
            for (const record of batch) {
                cx.signal.throwIfAborted();
                await cx.turn();
                const data = await pages.of(record, error => cx.warn(record, error));
                out.push(data === record.data ? record : cx.derive(data, [record]));
            }
            return out;
        };
    },
});

interface PagesArgs {
    readonly paper: PdfPaper;
    readonly target: Path;
    readonly fixed: string | undefined;
    readonly own: Path | undefined;
}

/** The PDFs of a step. */
class Pages {
    private readonly fixed: Render | undefined;

    constructor(private readonly args: PagesArgs) {
        this.fixed = args.fixed === undefined ? undefined : compileTemplate(args.fixed, true);
    }

    async of({ data }: FlowRecord, warn: (error: FlowError) => void): Promise<JsonObject> {
        const { target } = this.args;
        try {
            return target.set(data, await this.render(data));
        } catch (error) {
            if (!isFlowError(error) || error.treat !== 'record') throw error;
            warn(error);
            return target.unset(data);
        }
    }

    private async render(data: JsonObject): Promise<string> {
        const { own, paper } = this.args;
        const template = own?.get(data);
        // The schema requires one of the two.
        const at = template === undefined && this.fixed ? 'template' : own!.text;
        const fill = template === undefined ? this.fixed : templateOf(template, at);
        if (!fill) throw recordInvalid(at, 'is missing, and the step has no template');
        const answer = await renderPdf(linesOfHtml(fill(data)!), paper);
        if ('problem' in answer) throw recordInvalid(at, `the text ${answer.problem}`);
        return answer.pdf.toString('base64');
    }
}

function templateOf(template: JsonValue, at: string): Render {
    if (typeof template !== 'string') throw recordInvalid(at, `is ${show(template)}, which is not a template`);
    if (template.length > MAX_PDF_CHARACTERS)
        throw recordInvalid(at, `has ${template.length} characters; at most ${MAX_PDF_CHARACTERS} are allowed`);
    const problem = templateProblem(template);
    if (problem !== undefined) throw recordInvalid(at, { problem: problem.message, facts: problem.facts });
    return compileTemplate(template, true);
}
