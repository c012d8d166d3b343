import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { OTHER_THAN_TEXT, readText } from '../../data/read-text';
import { path } from '../../schema/fields';
import { slugOfText } from './slug';

/** The most letters that one character stands for in a slug. */
const MOST_LETTERS = 18;

/** Builds a URL slug from a text. */
export const slugify = recordOperator({
    code: 'slugify',
    category: 'String',
    title: 'Slugify',
    summary: 'Turns text into a URL-safe slug.',
    config: z.strictObject({
        source: path('From', `The text. ${OTHER_THAN_TEXT}`),
        target: path('To', 'Where the slug goes.'),
        separator: z
            .string()
            .max(3)
            .regex(/^[A-Za-z0-9._~-]*$/, 'allowed: letters, digits and - . _ ~')
            .default('-')
            .meta({
                title: 'Separator',
                description: 'What stands between the words.',
            }),
    }),
    notes: [
        'Accents are folded ("Crème" gives "creme"), German umlauts written out ("Käse" gives "kaese"), letters of other scripts kept.',
        'A text without any letter or digit has no slug: the record stays as it is.',
    ],
    examples: [
        {
            args: { source: 'name', target: 'slug' },
            in: { name: 'Café Crème – 250 g' },
            out: { name: 'Café Crème – 250 g', slug: 'cafe-creme-250-g' },
        },
        {
            args: { source: 'name', target: 'slug' },
            in: { name: 'Größe & Übermaß' },
            out: { name: 'Größe & Übermaß', slug: 'groesse-uebermass' },
        },
        {
            args: { source: 'name', target: 'slug', separator: '_' },
            in: { name: "  Men's  T-Shirt!" },
            out: { name: "  Men's  T-Shirt!", slug: 'mens_t_shirt' },
        },
        {
            args: { source: 'name', target: 'slug' },
            in: { name: 'Кофе 咖啡' },
            out: { name: 'Кофе 咖啡', slug: 'кофе-咖啡' },
        },
        {
            args: { source: 'name', target: 'slug' },
            in: { name: 4711 },
            out: { name: 4711, slug: '4711' },
            note: 'A number is read as its text.',
        },
        { args: { source: 'name', target: 'slug' }, in: { name: '!?' }, out: { name: '!?' } },
        { args: { source: 'name', target: 'slug' }, in: { name: null }, out: { name: null } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target, separator }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.field(target);
        return data => {
            const text = readText(from.get(data));
            if (text === undefined) return data;
            // One letter can become many: some ligatures of Arabic are whole sentences.
            bounds.fits(target, text.length * MOST_LETTERS);
            const slug = slugOfText(text, separator);
            return slug === '' ? data : to.set(data, slug);
        };
    },
});
