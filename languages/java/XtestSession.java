import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Serves a function of JSON texts as a program and as a session of xtest.
 *
 * <pre>
 * public static void main(String[] arguments) throws Exception {
 *     XtestSession.serve(values -> List.of(String.valueOf(values.size())), "counts", "1.2");
 * }
 * </pre>
 *
 * Started as usual, the program reads all values of standard input and prints the answer, one value a line. With
 * XTEST_SESSION=protocol it answers one request after the other; the project's docs/sessions.md describes
 * them. Copy this file beside your program: Java 11 or newer, with any JSON library or none.
 */
public final class XtestSession {
    private static final String SPACE = " \t\r\n";

    /** Takes the JSON texts of all values of one case, and returns those of the values to print. */
    @FunctionalInterface
    public interface Answer {
        List<String> to(List<String> values) throws Exception;
    }

    /** Thrown by an answer function that does not support its input; the message says why. */
    public static final class Skipped extends Exception {
        private static final long serialVersionUID = 1;

        public Skipped(String reason) {
            super(reason);
        }
    }

    private XtestSession() {}

    /** Answers all cases that come on standard input. */
    public static void serve(Answer answer, String implementation, String version) throws Exception {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        if ("protocol".equals(System.getenv("XTEST_SESSION"))) {
            serveSession(answer, out, "\"protocol\": 1, \"implementation\": " + quoted(implementation)
                    + ", \"version\": " + quoted(version) + ", \"language\": \"Java\"");
        } else {
            serveOneCase(answer, out);
        }
        out.flush();
    }

    private static void serveOneCase(Answer answer, PrintStream out) throws Exception {
        String text = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        try {
            for (String value : answer.to(cut(text, SPACE))) out.print(value + "\n");
        } catch (Skipped reason) {
            System.err.println("skipped: " + reason.getMessage());
            System.exit(1);
        }
    }

    private static void serveSession(Answer answer, PrintStream out, String hello) throws IOException {
        InputStream in = new BufferedInputStream(System.in);
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        for (String line = readLine(in); line != null; line = readLine(in)) {
            String id = member(line, "id");
            String result = "0".equals(id) ? hello : result(answer, cutContainer(member(line, "in")));
            // Alone, the program would fail if it printed anything else.
            if (printed.size() > 0) result = "\"error\": " + quoted("also printed: " + printed);
            printed.reset();
            out.print("{\"id\": " + id + ", " + result + "}\n");
        }
    }

    /** The member of the response that has the answer. */
    private static String result(Answer answer, List<String> values) {
        try {
            // Cut, so that "1, 2" stays malformed. A line break can only be white space: inside strings it is escaped.
            List<String> texts = cut(String.join("\n", answer.to(values)), SPACE);
            return "\"out\": [" + String.join(", ", texts).replace('\n', ' ') + "]";
        } catch (Skipped reason) {
            return "\"skipped\": " + quoted(reason.getMessage());
        } catch (Exception error) {
            return "\"error\": " + quoted(error.toString());
        }
    }

    /** The next line, which only \n ends, or null at the end of the input. */
    private static String readLine(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = in.read();
        if (next < 0) return null;
        for (; next >= 0 && next != '\n'; next = in.read()) line.write(next);
        return line.toString(StandardCharsets.UTF_8).strip();
    }

    // JSON texts are only cut into their parts; whoever reads the parts finds what is malformed.

    private static String member(String object, String name) {
        List<String> parts = cutContainer(object);
        int key = 0;
        while (!parts.get(key).equals("\"" + name + "\"")) key += 2;
        return parts.get(key + 1);
    }

    /** The elements of an array, or the names and values of an object. */
    private static List<String> cutContainer(String text) {
        return cut(text.substring(1, text.length() - 1), SPACE + ",:");
    }

    private static List<String> cut(String text, String separators) {
        List<String> found = new ArrayList<>();
        int at = skip(text, 0, separators);
        while (at < text.length()) {
            int end = endOfValue(text, at);
            found.add(text.substring(at, end));
            at = skip(text, end, separators);
        }
        return found;
    }

    private static int skip(String text, int at, String skipped) {
        while (at < text.length() && skipped.indexOf(text.charAt(at)) >= 0) at++;
        return at;
    }

    private static int endOfValue(String text, int at) {
        int depth = 0;
        do {
            char first = text.charAt(at);
            if (first == '[' || first == '{') depth++;
            if (first == ']' || first == '}') depth--;
            at = endOfToken(text, at);
            if (depth > 0) at = skip(text, at, SPACE + ",:");
        } while (depth > 0 && at < text.length());
        return at;
    }

    private static int endOfToken(String text, int at) {
        if ("[]{},:".indexOf(text.charAt(at)) >= 0) return at + 1;
        if (text.charAt(at) == '"') {
            for (at++; at < text.length() && text.charAt(at) != '"'; at++) if (text.charAt(at) == '\\') at++;
            return Math.min(at + 1, text.length());
        }
        while (at < text.length() && (SPACE + ",:[]{}\"").indexOf(text.charAt(at)) < 0) at++;
        return at;
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char each : String.valueOf(text).toCharArray()) {
            if (each == '"' || each == '\\') out.append('\\').append(each);
            else if (each < ' ' || Character.isSurrogate(each)) out.append(String.format("\\u%04x", (int) each));
            else out.append(each);
        }
        return out.append('"').toString();
    }
}
