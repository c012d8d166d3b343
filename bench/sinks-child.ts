import { peakRssMb } from './peak';
import { deliverAlone, type OwnProcess } from './sinks';

/** Delivers records through one sink in a separate process. */
deliverAlone(JSON.parse(process.argv[2]!) as OwnProcess).then(
    seconds => process.stdout.write(JSON.stringify({ seconds, peakRssMb: peakRssMb() }), () => process.exit(0)),
    (error: unknown) => {
        console.error(error);
        process.exit(1);
    },
);
