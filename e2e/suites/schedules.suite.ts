import { setTimeout as sleep } from 'node:timers/promises';
import gql from 'graphql-tag';
import { pipeline } from '../../src';
import type { FlowServer } from '../config/flow-server';
import { until } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as, errorOf } from '../fixtures/authoring-api';

interface ScheduledRun {
    readonly id: string;
    readonly status: string;
    readonly triggerType: string;
    readonly triggerKey: string;
    readonly occurrenceKey: string | null;
}

const often = (config: object) => ({
    version: 1,
    steps: [
        { key: 'clock', kind: 'TRIGGER', config: { type: 'SCHEDULE', ...config } },
        { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'generator', count: 3, template: { n: '{{index}}' } } },
    ],
    edges: [{ from: 'clock', to: 'in' }],
});

const counted = pipeline('counted-runs')
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'inMemory', data: [{ value: 'a' }, { value: '' }] })
    .transform('check', [{ op: 'validateRequired', args: { fields: ['value'] } }])
    .build();

function schedules(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    beforeAll(async () => {
        shop = await open();
    });

    const runsOf = async (pipelineId: string): Promise<readonly ScheduledRun[]> =>
        (
            await shop.adminClient.query(
                gql`
                    query Runs($pipelineId: ID!) {
                        flowPipelineRuns(pipelineId: $pipelineId, options: { sort: { id: ASC } }) {
                            items {
                                id
                                status
                                triggerType
                                triggerKey
                                occurrenceKey
                            }
                        }
                    }
                `,
                { pipelineId },
            )
        ).flowPipelineRuns.items as readonly ScheduledRun[];

    it('start published pipelines, in the first process that is notified, and none that is disabled', async () => {
        const me = as(shop.adminClient);
        const made = await me.create({
            code: 'each-second',
            name: 'Each second',
            definition: often({ intervalSec: 1 }),
        });
        expect(await runsOf(made.id)).toEqual([]);
        await me.publish(made);
        const some = await until(
            () => runsOf(made.id),
            runs => runs.filter(({ status }) => status === 'COMPLETED').length >= 2,
        );
        expect(some[0]).toMatchObject({ triggerType: 'SCHEDULE', triggerKey: 'clock' });
        expect(new Set(some.map(({ occurrenceKey }) => occurrenceKey)).size).toBe(some.length);
        await me.disable(made);
        const ended = await until(
            () => runsOf(made.id),
            runs => runs.every(({ status }) => status === 'COMPLETED'),
        );
        // Twice the interval between two checks of the clock.
        await sleep(2_000);
        expect(await runsOf(made.id)).toEqual(ended);
    });

    it('are rejected with the problem and what is allowed', async () => {
        const me = as(shop.adminClient);
        const made = await me.create({ code: 'never', name: 'Never', definition: often({ cron: '0 25 * * *' }) });
        const rejection = await errorOf(me.publish(made));
        expect(rejection).toMatchObject({ code: 'DEFINITION_INVALID' });
    });

    it('are followed by figures of the runs', async () => {
        const from = new Date(Date.now() - 60_000).toISOString();
        await shop.perform('counted-runs');
        const { flowAnalytics } = await shop.adminClient.query(
            gql`
                query Figures($from: DateTime!, $pipelineId: ID) {
                    flowAnalytics(from: $from, pipelineId: $pipelineId, period: HOUR) {
                        total {
                            runs
                            success
                            partial
                            recordsRead
                            recordsRejected
                            medianMs
                        }
                        pipelines {
                            pipeline {
                                code
                            }
                            figures {
                                runs
                            }
                        }
                        periods {
                            start
                            figures {
                                runs
                            }
                        }
                    }
                }
            `,
            { from, pipelineId: await shop.pipelineId('counted-runs') },
        );
        expect(flowAnalytics).toEqual({
            total: {
                runs: 1,
                success: 0,
                partial: 1,
                recordsRead: 2,
                recordsRejected: 1,
                medianMs: expect.any(Number) as number,
            },
            pipelines: [{ pipeline: { code: 'counted-runs' }, figures: { runs: 1 } }],
            periods: [{ start: expect.any(String) as string, figures: { runs: 1 } }],
        });
        const wrong = { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' };
        const query = gql`
            query Wrong($from: DateTime!, $to: DateTime) {
                flowAnalytics(from: $from, to: $to) {
                    from
                }
            }
        `;
        expect(await errorOf(shop.adminClient.query(query, wrong))).toMatchObject({ code: 'INPUT_INVALID' });
    });
}

export const schedulesSuite: SharedSuite = { title: 'schedules', pipelines: [counted], tests: schedules };
