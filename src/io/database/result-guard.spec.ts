import { PassThrough } from 'node:stream';
import type { OutboundSocket } from '../../core/adapter/outbound';
import { ResultGuard } from './result-guard';

const socket = (): OutboundSocket & PassThrough => new PassThrough() as unknown as OutboundSocket & PassThrough;
const ended = (stream: PassThrough): Promise<unknown> => new Promise(resolve => stream.once('error', resolve));

describe('what a database sends at once', () => {
    it('is limited where the driver listens, also once that is another stream', async () => {
        const plain = socket();
        const encrypted = socket();
        const heard: string[] = [];
        encrypted.on('data', piece => heard.push(String(piece)));
        const guard = new ResultGuard(plain, 'db.test:3306', 10);
        guard.stepIn();
        guard.stepIn(encrypted);
        expect(guard.isSilent).toBe(true);
        const end = ended(encrypted);
        encrypted.write('12345678');
        guard.renew();
        encrypted.write('abcdefgh');
        encrypted.write('ijk');
        expect(await end).toMatchObject({ code: 'OUTBOUND_TOO_LARGE' });
        expect(heard).toEqual(['12345678', 'abcdefgh']);
        expect(guard.isSilent).toBe(false);
    });

    it('ends the connection where the driver cannot read it', async () => {
        const plain = socket();
        plain.on('data', () => {
            throw new Error('odd packet');
        });
        new ResultGuard(plain, 'db.test:3306').stepIn();
        const end = ended(plain);
        plain.write('x');
        expect(await end).toMatchObject({ code: 'REMOTE_MALFORMED' });
    });
});
