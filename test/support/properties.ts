/** Properties try the same cases in every run, so that a change is to blame for what fails; PROPERTY_SEED tries others. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20_261_121) });
