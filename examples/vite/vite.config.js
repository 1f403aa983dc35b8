import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

export default defineConfig({
  plugins: [
    react(),
    viteSingleFile(), // hosts load one document: scripts and styles go into it
  ],
  build: {
    outDir: "built",
    license: { fileName: "licenses.md" },
  },
});
