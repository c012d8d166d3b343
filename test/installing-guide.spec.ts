import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtinTemplates } from '../src/core/templates/builtin-templates';
import { z } from '../src';
import { setUp } from '../src/plugin/setup';
import { runPipeline } from '../src/testing/run';

const guide = readFileSync(join(__dirname, '../docs/guide/installing.md'), 'utf8');
const [, file] = /^cat > price-list\.csv <<'CSV'\n([^]*?)^CSV$/m.exec(guide)!;
const { definition } = builtinTemplates.find(({ code }) => code === 'price-list')!;

it('the template that the installing guide chooses loads two products of its file and rejects the invalid price', async () => {
    const steps = definition.steps.map(step =>
        step.key === 'price-list' ? { ...step, config: { adapterCode: 'csv', csvText: file! } } : step,
    );
    const run = await runPipeline({ pipeline: { ...definition, steps } });
    expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL' });
    expect(run.loaded['products']).toMatchObject([
        { sku: 'MUG-01', name: 'Enamel mug', price: 1250, stock: 40 },
        { sku: 'LAMP-7', name: 'Desk lamp', price: 4900, stock: 7 },
    ]);
    expect(run.rejected).toMatchObject([{ path: 'price' }]);
});

it('the installing guide names steps that the template has', () => {
    const keys = definition.steps.map(({ key }) => key);
    expect(keys).toEqual(['start', 'price-list', 'to-product', 'check', 'products']);
    expect(guide).toContain('five steps');
    expect(guide).toContain(`the step \`${keys[1]}\``);
});

it('the installing guide names labels of the dashboard', () => {
    const texts = readFileSync(join(__dirname, '../dashboard-ui/i18n/en.po'), 'utf8');
    const titles = JSON.stringify(z.toJSONSchema(setUp({}).registry.get('extractor', 'csv')!.config, { io: 'input' }));
    const steps = guide.slice(guide.indexOf('## 6.'), guide.indexOf('## What to do next'));
    const labels = [...steps.matchAll(/\*\*(.+?)\*\*/g)].flatMap(([, label]) => label!.split(' → '));
    expect(labels.length).toBeGreaterThan(8);
    const isShown = (label: string): boolean =>
        builtinTemplates.some(({ title }) => title === label) ||
        texts.includes(`msgid "${label}"`) ||
        titles.includes(`"title":"${label}"`);
    expect(labels.filter(label => !isShown(label))).toEqual([]);
});
