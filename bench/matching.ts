import { suggest } from '../src/core/import/suggest';
import {
    measureMatching,
    type MatchingFigures,
    profileOfFixture,
    readImportFixtures,
} from '../test/kit/import-fixtures';

/** At least this share of the fields that a person would map has to be mapped. */
export const LEAST_MAPPED = 0.95;
/** At most this share of the mappings with high confidence may be wrong. */
export const MOST_WRONG = 0.01;

/** Measures the suggested mappings of all fixtures; true if both bars are met. */
export async function benchMatching(only: string | undefined): Promise<boolean> {
    const fixtures = readImportFixtures().filter(({ name }) => only === undefined || name.includes(only));
    const started = process.hrtime.bigint();
    const figures: MatchingFigures[] = [];
    for (const fixture of fixtures)
        figures.push(measureMatching(fixture, suggest(await profileOfFixture(fixture), fixture.shop)));
    const milliseconds = Number(process.hrtime.bigint() - started) / 1e6;
    for (const each of figures) {
        const notes = [
            ...(each.hasTarget ? [] : ['other target']),
            ...(each.hasGrouping ? [] : ['other grouping']),
            ...each.missing.map(field => `missing: ${field}`),
            ...each.wrong.map(text => `WRONG: ${text}`),
            ...each.doubtful.map(text => `needs a look: ${text}`),
        ];
        const count = `${each.mapped}/${each.expected}`;
        console.log(
            `${each.name.padEnd(30)} ${count.padStart(7)}  high ${String(each.high).padStart(2)}  ${notes.join('; ')}`,
        );
    }
    const sum = (value: (figure: MatchingFigures) => number) => figures.reduce((total, each) => total + value(each), 0);
    const mapped = sum(each => each.mapped) / sum(each => each.expected);
    const wrong =
        sum(each => each.wrong.length) /
        Math.max(
            1,
            sum(each => each.high),
        );
    console.log(`\n${figures.length} files, ${sum(each => each.expected)} fields, ${milliseconds.toFixed(0)} ms`);
    console.log(`mapped:                 ${percent(mapped)} (bar: at least ${percent(LEAST_MAPPED)})`);
    console.log(
        `wrong with high confidence: ${percent(wrong)} of ${sum(each => each.high)} (bar: at most ${percent(MOST_WRONG)})`,
    );
    console.log(
        `targets: ${sum(each => Number(each.hasTarget))} right; groupings: ${sum(each => Number(each.hasGrouping))} right`,
    );
    return mapped >= LEAST_MAPPED && wrong <= MOST_WRONG;
}

function percent(share: number): string {
    return `${(share * 100).toFixed(1)} %`;
}
