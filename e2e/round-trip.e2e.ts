import { onOneDatabase } from './config/matrix';
import { roundTrip } from './suites/round-trip.suite';

onOneDatabase('a catalogue that the export wizard writes', roundTrip);
