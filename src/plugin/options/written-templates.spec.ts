import { builtinTemplates } from '../../core/templates/builtin-templates';
import type { PipelineTemplate } from '../../core/templates/pipeline-template';
import { isFlowError } from '../../core/errors/flow-error';
import { availableTemplates } from '../api/template.resolver';
import { setUp } from '../setup';
import { checkTemplates } from './written-templates';

const PERMISSIONS: ReadonlySet<string> = new Set(['UpdateCatalog']);
const template: PipelineTemplate = {
    code: 'supplier-prices',
    group: 'SYNC',
    title: 'Prices of our suppliers',
    description: 'Updates prices.',
    sample: [{ sku: 'A-1', price: '19.95' }],
    definition: {
        version: 1,
        steps: [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'file', kind: 'EXTRACT', config: { adapterCode: 'csv', csvText: 'sku\nA-1\n' } },
        ],
        edges: [{ from: 'start', to: 'file' }],
    },
};
const using = (adapterCode: string, more: object = {}): PipelineTemplate => ({
    ...template,
    definition: {
        ...template.definition,
        ...more,
        steps: [template.definition.steps[0]!, { key: 'file', kind: 'EXTRACT', config: { adapterCode } }],
    },
});

/** What the start of a shop with these templates says, before and after all plugins have started. */
function startWith(templates: readonly unknown[], isStarted = true): string {
    try {
        const { options, registry } = setUp({ templates: templates as readonly PipelineTemplate[] });
        checkTemplates(options.templates, { registry, permissions: PERMISSIONS, isStarted });
        return 'starts';
    } catch (error) {
        if (isFlowError(error)) return `${error.code}: ${error.message}`;
        throw error;
    }
}

describe('the option templates', () => {
    it('adds templates to those of Flow, in their group', () => {
        const { options, registry } = setUp({ templates: [template] });
        const offered = availableTemplates(options.templates, registry);
        expect(offered).toHaveLength(builtinTemplates.length + 1);
        const sync = offered.filter(({ group }) => group === 'SYNC');
        expect(sync.at(-1)).toEqual({ ...template, notes: [], connections: [], secrets: [] });
        expect(startWith([template])).toBe('starts');
    });

    it('names the template and the error of a definition that cannot be published', () => {
        const message = startWith([using('cvs'), { ...using('csv'), code: 'second' }]);
        expect(message).toContain('DEFINITION_INVALID');
        expect(message).toMatch(/template "supplier-prices":\n {2}- step "file", .*"cvs".*ADAPTER_NOT_FOUND/);
        expect(message).toMatch(/template "second":\n {2}- step "file", .*csvText/);
    });

    it('reports permissions that no role can have', () => {
        const message = startWith([using('csv', { capabilities: { requires: ['UpdateCatalogue'] } })]);
        expect(message).toContain('"UpdateCatalogue"');
    });

    it('lets other plugins register adapters until they have started', () => {
        expect(startWith([using('of-another-plugin')], false)).toBe('starts');
        expect(startWith([using('csv')], false)).toContain('template "supplier-prices"');
    });

    it.each([
        [[template, template], 'the code "supplier-prices" comes twice in the option templates'],
        [[{ ...template, code: 'price-list' }], 'comes twice, in Flow itself and in the option templates'],
        [[{ ...template, code: 'Supplier prices' }], 'templates.0.code'],
        [[{ ...template, group: 'OTHER' }], 'templates.0.group'],
        [[{ ...template, title: '' }], 'templates.0.title'],
        [[{ ...template, definition: undefined }], 'templates.0.definition'],
        [[{ ...template, sample: ['A-1'] }], 'templates.0.sample.0'],
        [[{ ...template, notes: [''] }], 'templates.0.notes.0'],
        [[{ ...template, guide: 'x' }], 'guide'],
    ])('rejects wrong values: %#', (templates, problem) => {
        const message = startWith(templates);
        expect(message).toContain('OPTION_INVALID');
        expect(message).toContain(problem);
    });
});
