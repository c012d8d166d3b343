import { peakRssMb } from './peak';
import { runThroughExecutor } from './through-executor';

const records = Number(process.argv[2]);
const start = performance.now();
void runThroughExecutor(records).then(() => {
    const rate = records / ((performance.now() - start) / 1000);
    process.stdout.write(JSON.stringify({ records, rate, peakRssMb: peakRssMb() }));
});
