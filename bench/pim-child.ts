import { PimCatalogue, type PimSize } from '../test/kit/pim/catalogue';
import { PimServer } from '../test/kit/pim/server';
import { changePim } from './pim-changes';

/** Serves the simulated PIM in a separate process. It reports its address, and changes its data on request. */
async function serve(size: PimSize): Promise<void> {
    const catalogue = new PimCatalogue(size);
    const server = await new PimServer(catalogue).listen();
    process.on('message', () => {
        changePim(catalogue);
        process.send!('changed');
    });
    process.on('disconnect', () => process.exit(0));
    process.send!(server.endpoint);
}

serve(JSON.parse(process.argv[2]!) as PimSize).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
});
