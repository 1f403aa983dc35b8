// Imported before all else: hosts forbid `eval`, and the SDK's validator need not try it.
import { config } from "zod";

config({ jitless: true });
