import 'reflect-metadata';
import { createInterface } from 'node:readline';
import { pollerOn } from '../../test/fixtures/poller';
import { type BarePlace, connectBare } from '../config/bare-database';

/**
 * A process that checks schedules at a time that it receives: each line has the milliseconds, and is answered after the
 * check.
 */
async function main(place: BarePlace): Promise<void> {
    const { scheduler, triggers } = pollerOn(await connectBare(place, 'flow'));
    const say = (line: string): void => void process.stdout.write(`${line}\n`);
    for await (const line of createInterface({ input: process.stdin.on('end', () => process.exit(0)) })) {
        if (line === 'read') await triggers.refresh();
        else await scheduler.poll(Number(line));
        say(`done ${line}`);
    }
}

main(JSON.parse(process.argv[2]!) as BarePlace).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
});
