import { type FileInput, runOverFile } from './file-run';
import { peakRssMb } from './peak';

const input = JSON.parse(process.argv[2]!) as FileInput;
const start = performance.now();
void runOverFile(input).then(() => {
    const seconds = (performance.now() - start) / 1000;
    process.stdout.write(JSON.stringify({ seconds, peakRssMb: peakRssMb() }));
});
